// Query plans of statements.
import type { Knex } from 'knex'

/** A statement as the server would run it. */
export interface Plan {
  sql: string
  /** Of each table, in the order in which they are read; not of what the statement makes itself. */
  tables: { key: string | null; extra: string }[]
  /** Rows that came, and rows that the server looked at in tables and indexes. */
  rows: number
  read: number
}

const select = /^select/i

/**
 * Runs some work of our stores, and then each of its queries that has a word in it once more, on a connection of its own that
 * counts what the server reads.
 * @param db has one connection, so that the counters are those of the query before.
 */
export async function plansOf(db: Knex, word: string, work: () => Promise<unknown>): Promise<Plan[]> {
  const asked: { sql: string; bindings: Knex.Value[] }[] = []
  const note = ({ sql, bindings }: { sql: string; bindings?: Knex.Value[] }) => {
    if (select.test(sql) && sql.includes(word)) asked.push({ sql, bindings: bindings ?? [] })
  }
  db.on('query', note)
  try {
    await work()
  } finally {
    db.removeListener('query', note)
  }
  const plans: Plan[] = []
  for (const { sql, bindings } of asked) {
    const [explained]: { table: string | null; key: string | null; Extra: string | null }[][] = await db.raw(
      `EXPLAIN FORMAT=TRADITIONAL ${sql}`,
      bindings,
    )
    const before = await rowsRead(db)
    const [rows]: object[][] = await db.raw(sql, bindings)
    const read = (await rowsRead(db)) - before
    const tables = (explained ?? []).filter(({ table }) => table && !table.startsWith('<'))
    plans.push({
      sql,
      tables: tables.map(({ key, Extra }) => ({ key, extra: Extra ?? '' })),
      rows: rows?.length ?? 0,
      read,
    })
  }
  return plans
}

async function rowsRead(db: Knex): Promise<number> {
  const [counters]: { Value: string }[][] = await db.raw("SHOW SESSION STATUS LIKE 'Handler_read%'")
  return (counters ?? []).reduce((sum, { Value }) => sum + Number(Value), 0)
}
