// Reads all that a tenant has as lines of an archive, and writes such lines as a tenant of this installation.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { newId } from '../../runtime/ids.js'
import type { Seal, SealedFor } from '../../runtime/secrets/seal.js'
import { asAction, platformChain, recordAction } from '../audit/action.js'
import { now } from '../clock.js'
import type { TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { insertRows } from '../rows.js'
import type { Storages } from '../storage/storage.js'
import { type ArchivedTable, archivedTables, type Row, readCell, rowsToArchive } from './archived-tables.js'
import { deleteAllRows } from './tenant-deletion.js'

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
const TableLine = Type.Object({ table: Type.String(), columns: Type.Array(Type.String()) })
/** Begins the bytes of a file: each block is a line in base64. */
const FileLine = Type.Object({
  file: Type.Object({ id: Type.String(), kind: Type.Union([Type.Literal('record'), Type.Literal('import')]) }),
})
const RowLine = Type.Array(Type.Union([Type.String(), Type.Number(), Type.Null()]))

/** What is needed to read or write an archive. */
export interface ArchiveStores {
  db: Knex
  seal: Seal
  storages: Storages
}

/** The tables with files, and the kind of these. */
const files = { record_items: 'record', import_files: 'import' } as const

/**
 * Yields the lines of a tenant's archive. Nobody may write the tenant meanwhile. What is sealed is opened.
 * @param head the version of this program and its steps.
 * @param read is told of each row.
 */
export async function* archiveLines(
  { db, seal, storages }: ArchiveStores,
  { tenantId, tenantKey }: { tenantId: TenantId; tenantKey: string },
  head: Pick<ArchiveHead, 'version' | 'steps'>,
  read: (table: string) => void,
): AsyncGenerator<string> {
  const columns = Object.keys(Head.properties.tenant.properties)
  const tenant: object = await db('tenants').where({ id: tenantId }).first(columns)
  yield line({ format, ...head, exportedAt: new Date().toISOString(), tenantKey, tenant })
  let rows = 0
  for (const table of await archivedTables(db)) {
    let isBegun = false
    for await (const row of rowsToArchive(db, tenantId, table)) {
      if (!isBegun) yield line({ table: table.name, columns: table.columns.map(({ name }) => name) })
      isBegun = true
      const cells = opened(seal, tenantKey, table.name, row)
      yield line(table.columns.map(({ name }) => written(cells[name] ?? null)))
      rows++
      read(table.name)
    }
  }
  for (const [table, kind] of Object.entries(files))
    for (const { id, storage } of await db(table)
      .where({ tenant_id: tenantId, state: 'stored' })
      .whereNot({ storage: 'mysql' })
      .select('id', 'storage')) {
      yield line({ file: { id, kind } })
      for await (const block of await storages.of(storage).read({ tenantId, fileId: id, kind }))
        yield line(Buffer.from(block).toString('base64'))
    }
  yield line({ end: true, rows })
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`

const written = (cell: Row[string]): string | number | null =>
  cell instanceof Date ? cell.toISOString() : Buffer.isBuffer(cell) ? cell.toString('base64') : cell

/** What the sealed columns of tenants are sealed for: the purpose, and the column with the name. Archives have them opened. */
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

/** Seals it with the key of this installation. */
function sealed(seal: Seal, tenantKey: string, table: string, row: Row): Row {
  const { column, purpose, name } = sealedCells[table] ?? {}
  if (!column || !purpose || !name) return row
  const [what, text] = [{ purpose, tenantKey, name: String(row[name]) }, String(row[column])]
  const mark = table === 'glue_secrets' ? { mark: seal.mark(what, JSON.parse(text).value) } : {}
  return { ...row, ...mark, [column]: seal.seal(what, text) }
}

/** An archive cannot be read or written here. The message is for operators. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
}

/** What an archive has that must be unique in an installation. */
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
  let [rows, isWhole] = [0, false]
  let table: Static<typeof TableLine> | undefined
  for await (const text of lines) {
    const value = parsed(text)
    if (!head) {
      if (!Check(Head, value)) throw new ArchiveRefused('It is no archive of a tenant.')
      head = value
    } else if (Check(TableLine, value)) table = value
    else if (Check(RowLine, value)) {
      rows++
      const [list, column] = ids[table?.table ?? ''] ?? []
      if (list && column) found[list].push(String(value[table?.columns.indexOf(column) ?? -1]))
    } else if (Check(End, value)) isWhole = value.rows === rows
  }
  if (!head || !isWhole) throw new ArchiveRefused('It is only a part of an archive: its end is missing.')
  return { head, rows, ...found }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ArchiveRefused('It is no archive of a tenant.')
  }
}

/** Stands for the deletion of a tenant that is being imported, so that nobody finds it. */
const importing = '00000000-0000-0000-0000-000000000000'

/** How many rows one transaction writes: of most tables, and of those whose rows hold up to some MB. */
const [rowsAtOnce, largeRowsAtOnce] = [500, 10]

/**
 * Writes an archive as a tenant, which is suspended then, some rows at a time. Nobody finds the tenant before all of it is there.
 * @param wrote is told how many rows are written.
 * @throws ArchiveRefused if the tenant, or an id that is unique in the installation, exists.
 */
export async function importArchive(
  { db, seal, storages }: ArchiveStores,
  { head, clients, accounts }: ArchiveSummary,
  lines: AsyncIterable<string>,
  wrote: (rows: number) => void,
): Promise<TenantId> {
  const { tenantKey } = head
  await requireFree(db, tenantKey, { clients, accounts })
  const tenant = await beginImport(db, head)
  const tables = new Map((await archivedTables(db)).map(table => [table.name, table]))
  let [table, columns, batch, rows]: [ArchivedTable | undefined, string[], Row[], number] = [undefined, [], [], 0]
  let upload: { bytes: PassThrough; stored: Promise<void> } | undefined
  const flush = async () => {
    const [of, some] = [table, batch]
    batch = []
    if (!of || some.length === 0) return
    const cells = some.map(row => [tenant, ...columns.map(name => row[name] ?? null)])
    await transaction(db, 'platform', trx => insertRows(trx, of.name, ['tenant_id', ...columns], cells))
    rows += some.length
    wrote(rows)
  }
  const endUpload = async () => {
    upload?.bytes.end()
    await upload?.stored
    upload = undefined
  }
  for await (const text of lines) {
    const value = parsed(text)
    if (Check(TableLine, value)) {
      await flush()
      ;[table, columns] = [tables.get(value.table), value.columns]
    } else if (Check(RowLine, value)) {
      const known = table
      if (!known) throw new ArchiveRefused('It has rows of a table that this version does not have.')
      const row = Object.fromEntries(columns.map((name, n) => [name, readCell(known, name, value[n] ?? null)]))
      if (known.name in files && row.storage !== 'mysql') row.storage = storages.current
      batch.push(sealed(seal, tenantKey, known.name, row))
      if (batch.length >= (known.isLarge ? largeRowsAtOnce : rowsAtOnce)) await flush()
    } else if (Check(FileLine, value)) {
      await flush()
      await endUpload()
      const { id: fileId, kind } = value.file
      const bytes = new PassThrough()
      upload = { bytes, stored: storages.of(storages.current).write({ tenantId: tenant, fileId, kind }, bytes) }
    } else if (typeof value === 'string' && upload && !upload.bytes.write(Buffer.from(value, 'base64')))
      await Promise.race([once(upload.bytes, 'drain'), upload.stored])
  }
  await flush()
  await endUpload()
  const action = {
    client: 'installation',
    action: 'importTenant',
    kind: 'tenant',
    ids: [],
    members: [],
    traceId: newId(),
  }
  await transaction(db, 'platform', async trx => {
    await trx('tenants').where({ id: tenant }).update({ deletion_job_id: null })
    await asAction(action, () => recordAction(trx, platformChain, 'done', { tenant: tenantKey }))
  })
  return tenant
}

/** @throws ArchiveRefused if the tenant exists, or an id that is unique in the installation. */
async function requireFree(
  db: Knex,
  tenantKey: string,
  { clients, accounts }: Pick<ArchiveSummary, 'clients' | 'accounts'>,
): Promise<void> {
  const tenant = await db('tenants').where({ tenant_key: tenantKey }).first('deletion_job_id')
  if (tenant && tenant.deletion_job_id !== importing)
    throw new ArchiveRefused(`There is a tenant '${tenantKey}'. Delete it first: armature tenant delete ${tenantKey}`)
  const ofOthers = (table: string) =>
    db(table).whereNotIn('tenant_id', db('tenants').where({ tenant_key: tenantKey }).select('id'))
  const taken: string[] = [
    ...(await ofOthers('clients').whereIn('client_id', clients).pluck('client_id')),
    ...(await ofOthers('accounts').whereIn('account_id', accounts).pluck('account_id')),
  ]
  if (taken.length > 0) throw new ArchiveRefused(`Other tenants have these clients or accounts: ${taken.join(', ')}.`)
}

/** Creates the tenant, or takes up one whose import broke off, after deleting what was written of it. @returns its id. */
async function beginImport(db: Knex, { tenantKey, tenant }: ArchiveHead): Promise<TenantId> {
  const named = () => db('tenants').where({ tenant_key: tenantKey })
  const row = { ...tenant, created_at: new Date(tenant.created_at), updated_at: new Date(tenant.updated_at) }
  if (await named().first('id')) {
    const { id } = await named().first('id')
    await deleteAllRows(db, id)
    await named().update(row)
  } else
    await db('tenants').insert({ tenant_key: tenantKey, ...row, suspended_at: now(db), deletion_job_id: importing })
  return (await named().first('id')).id
}
