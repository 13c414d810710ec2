// The archive of a tenant: its lines, how a tenant is read as such lines, and what a whole archive has.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import type { Seal, SealedFor } from '../../runtime/secrets/seal.js'
import { chainEnd, sealForReader } from '../audit/chain.js'
import type { TenantId } from '../connect.js'
import { feedNames, feedPage } from '../feeds.js'
import type { StorageName, Storages } from '../storage/storage.js'
import { notLongSuspended, requireQuiet, type TenantRef } from './tenant-deletion.js'
import { type Row, rowsToArchive, tablesWithFiles, tenantTables } from './tenant-tables.js'

const format = 'armature-tenant-1'

const Head = Type.Object({
  format: Type.Literal(format),
  /** The version that has written the archive, and the steps of its schema. */
  version: Type.String(),
  steps: Type.Array(Type.String()),
  exportedAt: Type.String(),
  tenantKey: Type.String(),
  /** The columns of the row in `tenants`. */
  tenant: Type.Object({
    name: Type.String(),
    user_access: Type.String(),
    limits: Type.String(),
    entity_settings: Type.String(),
    created_at: Type.String(),
    updated_at: Type.String(),
  }),
})

/** The first line of an archive. */
export type ArchiveHead = Static<typeof Head>

/** The last line. Without it the archive is only a part of one. */
const End = Type.Object({ end: Type.Literal(true), rows: Type.Integer() })
/** Begins the rows of a table: each is a line with the cells of these columns. */
export const TableLine = Type.Object({ table: Type.String(), columns: Type.Array(Type.String()) })
/** Begins the bytes of a file: each block is a line in base64. */
export const FileLine = Type.Object({
  file: Type.Object({ id: Type.String(), kind: Type.Union([Type.Literal('record'), Type.Literal('import')]) }),
})
export const RowLine = Type.Array(Type.Union([Type.String(), Type.Number(), Type.Null()]))

/** The database and the files of an installation, and the key with which it seals. */
export interface ArchiveStores {
  db: Knex
  seal: Seal
  storages: Storages
}

/**
 * Yields the lines of a tenant's archive. What is sealed is opened.
 * @param head the version of this program and its steps.
 * @param read is told of each row.
 * @throws Problem 409 unless the tenant is suspended for long, and stays so, and there, until all is read.
 */
export async function* archiveLines(
  { db, seal, storages }: ArchiveStores,
  { tenantId, tenantKey }: TenantRef,
  head: Pick<ArchiveHead, 'version' | 'steps'>,
  read: (table: string) => void,
): AsyncGenerator<string> {
  const since = await requireQuiet(db, { tenantId, tenantKey })
  await settle(db, tenantId)
  const columns = Object.keys(Head.properties.tenant.properties)
  const tenant: object = await db('tenants').where({ id: tenantId }).first(columns)
  yield line({ format, ...head, exportedAt: new Date().toISOString(), tenantKey, tenant })
  let rows = 0
  let lastEvent = 0
  for (const table of await tenantTables(db)) {
    // Operators and the retention add to the audit of a suspended tenant. What comes after the end of the chain was read stays behind.
    if (table.name === 'audit_unsealed') continue
    let isBegun = false
    for await (const row of rowsToArchive(db, tenantId, table)) {
      if (table.name === 'audit_chains') lastEvent = Number(row.position)
      if (['audit_events', 'audit_ids'].includes(table.name) && Number(row.position) > lastEvent) continue
      if (!isBegun) yield line({ table: table.name, columns: table.columns.map(({ name }) => name) })
      isBegun = true
      const cells = opened(seal, tenantKey, table.name, row)
      yield line(table.columns.map(({ name }) => written(cells[name] ?? null)))
      rows++
      read(table.name)
    }
  }
  for await (const { id, kind, storage } of filesOutside(db, tenantId)) {
    yield line({ file: { id, kind } })
    for await (const block of await storages.of(storage).read({ tenantId, fileId: id, kind }))
      yield line(Buffer.from(block).toString('base64'))
  }
  const asBefore = { id: tenantId, suspended_at: since, deletion_job_id: null }
  if (!(await db('tenants').where(asBefore).first('id'))) throw notLongSuspended(tenantKey)
  yield line({ end: true, rows })
}

/** Gives all changes and events of a tenant their positions, so that nobody else does it while their tables are read. */
async function settle(db: Knex, tenant: TenantId): Promise<void> {
  for (const feed of feedNames) await feedPage(db, tenant, feed, 0, 0)
  do await sealForReader(db, tenant)
  while ((await chainEnd(db, tenant)).unsealed > 0)
}

/** Yields the files of a tenant that are not in the database. */
async function* filesOutside(db: Knex, tenantId: TenantId) {
  const limit = 500
  for (const [table, kind] of Object.entries(tablesWithFiles))
    for (let last = ''; ; ) {
      const page: { id: string; storage: StorageName }[] = await db(table)
        .where({ tenant_id: tenantId, state: 'stored' })
        .whereNot({ storage: 'mysql' })
        .where('id', '>', last)
        .orderBy('id')
        .limit(limit)
        .select('id', 'storage')
      for (const file of page) yield { ...file, kind }
      last = page.at(-1)?.id ?? last
      if (page.length < limit) break
    }
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`

const written = (cell: Row[string]): string | number | null =>
  cell instanceof Date ? cell.toISOString() : Buffer.isBuffer(cell) ? cell.toString('base64') : cell

/**
 * The sealed columns of tables, by table, with the purpose for which they are sealed and the column whose value is the name. An archive has
 * their contents in the open, because another installation has another key.
 */
export const sealedCells: Record<string, { column: string; purpose: SealedFor['purpose']; name: string }> = {
  glue_secrets: { column: 'sealed_value', purpose: 'secret', name: 'name' },
  form_deliveries: { column: 'sealed_content', purpose: 'form delivery', name: 'transaction_id' },
  second_factors: { column: 'sealed_factor', purpose: 'second factor', name: 'factor_id' },
}

/** Opens the sealed cell of a row. */
function opened(seal: Seal, tenantKey: string, table: string, row: Row): Row {
  const { column, purpose, name } = sealedCells[table] ?? {}
  if (!column || !purpose || !name) return row
  return { ...row, [column]: seal.open({ purpose, tenantKey, name: String(row[name]) }, String(row[column])) }
}

/** An archive cannot be read or written here. The message is for operators. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
}

/** What a whole archive has: its first line, the number of its rows, and the ids in it that are unique in an installation. */
export interface ArchiveSummary {
  head: ArchiveHead
  rows: number
  clients: string[]
  accounts: string[]
}

/** Reads an archive to its end. @throws ArchiveRefused if it is none, or only a part of one. */
export async function summariseArchive(lines: AsyncIterable<string>): Promise<ArchiveSummary> {
  const found = { clients: [] as string[], accounts: [] as string[] }
  const ids: Record<string, [keyof typeof found, string]> = {
    clients: ['clients', 'client_id'],
    accounts: ['accounts', 'account_id'],
  }
  let head: ArchiveHead | undefined
  let rows = 0
  let end: Static<typeof End> | undefined
  let table: Static<typeof TableLine> | undefined
  for await (const text of lines) {
    const value = parsed(text)
    if (!head) {
      if (!Check(Head, value))
        throw new ArchiveRefused('It is no archive of a tenant, as `armature tenant export` makes it.')
      head = value
    } else if (Check(TableLine, value)) table = value
    else if (Check(RowLine, value)) {
      rows++
      const [list, column] = ids[table?.table ?? ''] ?? []
      if (list && column) found[list].push(String(value[table?.columns.indexOf(column) ?? -1]))
    } else if (Check(End, value)) end = value
  }
  if (!head || !end) throw new ArchiveRefused('It is only a part of an archive: its end is missing. Copy it again.')
  if (end.rows !== rows)
    throw new ArchiveRefused(`It has ${rows} rows, and its end says ${end.rows}. Copy or export it again.`)
  return { head, rows, ...found }
}

/** Reads a line. @throws ArchiveRefused if it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ArchiveRefused('A line of it is no JSON. Copy or export it again.')
  }
}
