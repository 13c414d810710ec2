// Traces SQL statements.
import { SpanKind } from '@opentelemetry/api'
import { endSpan, isTraced, isTracing, startSpan } from '../runtime/observe/tracing.js'

/** The part of a mysql2 connection through which the query builder sends every statement, including BEGIN and COMMIT. */
interface Connection {
  query(statement: string | { sql: string }, ...more: unknown[]): unknown
}

/**
 * Creates a span for each statement of a connection, as a child of the active span. Statements of the platform's own workflows have no
 * active span, and get none. The span states the operation and the table, but not the text, which may contain personal data and
 * thousands of rows.
 */
export function traceStatements(connection: Connection, databaseUrl: string): void {
  if (!isTracing()) return
  const common = { 'db.system.name': 'mysql', 'db.namespace': new URL(databaseUrl).pathname.slice(1) }
  const query = connection.query.bind(connection)
  connection.query = (statement, ...more) => {
    const done = more.at(-1)
    if (!isTraced() || typeof done !== 'function') return query(statement, ...more)
    const { operation, table } = summaryOf(typeof statement === 'string' ? statement : statement.sql)
    const of = { 'db.operation.name': operation, ...(table === undefined ? {} : { 'db.collection.name': table }) }
    const name = table === undefined ? operation : `${operation} ${table}`
    const span = startSpan(name, { kind: SpanKind.CLIENT, attributes: { ...common, ...of } })
    if (!span) return query(statement, ...more)
    return query(statement, ...more.slice(0, -1), (error: unknown, ...answer: unknown[]) => {
      endSpan(span, error ?? undefined)
      done(error, ...answer)
    })
  }
}

/** Returns the first word of a statement, and the first table that it names. */
export function summaryOf(sql: string): { operation: string; table?: string } {
  const operation = /^\W*(\w+)/.exec(sql.slice(0, 100))?.[1]?.toUpperCase() ?? 'SQL'
  const table = /\b(?:from|into|update|join)\s+`?([a-z_]\w*)`?/i.exec(sql.slice(0, 2_000))?.[1]
  return table === undefined ? { operation } : { operation, table }
}
