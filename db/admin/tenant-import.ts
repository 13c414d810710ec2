// Writes the lines of an archive as a tenant of this installation.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Knex } from 'knex'
import type { Static } from 'typebox'
import { Check } from 'typebox/value'
import { newId } from '../../runtime/ids.js'
import type { Seal } from '../../runtime/secrets/seal.js'
import { asAction, platformChain, recordAction } from '../audit/action.js'
import { now } from '../clock.js'
import type { TenantId } from '../connect.js'
import { isDuplicate, transaction } from '../errors.js'
import { insertRows } from '../rows.js'
import type { Storages } from '../storage/storage.js'
import {
  type ArchiveHead,
  ArchiveRefused,
  type ArchiveStores,
  type ArchiveSummary,
  FileLine,
  parsed,
  RowLine,
  sealedCells,
  TableLine,
} from './tenant-archive.js'
import { deleteAllRows } from './tenant-deletion.js'
import { type Row, readCell, rowsAtOnce, type TenantTable, tablesWithFiles, tenantTables } from './tenant-tables.js'
import { importing } from './tenants.js'

/**
 * Writes an archive as a tenant, which is suspended then, some rows at a time. Nobody finds the tenant before all of it is there.
 * @param wrote is told how many rows are written so far.
 * @throws ArchiveRefused if the tenant, or an id that is unique in the installation, exists.
 */
export async function importArchive(
  stores: ArchiveStores,
  { head, clients, accounts }: ArchiveSummary,
  lines: AsyncIterable<string>,
  wrote: (rows: number) => void,
): Promise<TenantId> {
  const { db } = stores
  const { tenantKey } = head
  await requireFree(db, tenantKey, { clients, accounts })
  const tenant = await beginImport(db, head)
  const rows = rowWriter(stores, tenant, tenantKey, await tenantTables(db), wrote)
  const files = fileWriter(stores.storages, tenant)
  for await (const text of lines) {
    const value = parsed(text)
    if (Check(TableLine, value)) await rows.begin(value)
    else if (Check(RowLine, value)) await rows.add(value)
    else if (Check(FileLine, value)) await files.begin(value.file)
    else if (typeof value === 'string') await files.add(value)
  }
  await rows.end()
  await files.end()
  const action = {
    client: 'installation',
    action: 'importTenant',
    kind: 'tenant',
    ids: [],
    members: [],
    traceId: newId(),
  }
  await transaction(db, 'unqueued', async trx => {
    await requireImporting(trx, tenant)
    await trx('tenants').where({ id: tenant }).update({ deletion_job_id: null })
    await asAction(action, () => recordAction(trx, platformChain, 'done', { tenant: tenantKey }))
  })
  return tenant
}

/** Creates what writes the rows of one table after the other, some at once. */
function rowWriter(
  { db, seal, storages }: ArchiveStores,
  tenant: TenantId,
  tenantKey: string,
  tables: readonly TenantTable[],
  wrote: (rows: number) => void,
) {
  let table: TenantTable | undefined
  let columns: string[] = []
  let batch: Row[] = []
  let rows = 0
  async function end(): Promise<void> {
    const [of, some] = [table, batch]
    batch = []
    if (!of || some.length === 0) return
    const cells = some.map(row => [tenant, ...columns.map(name => row[name] ?? null)])
    await transaction(db, 'unqueued', async trx => {
      await requireImporting(trx, tenant)
      await insertRows(trx, of.name, ['tenant_id', ...columns], cells)
    })
    rows += some.length
    wrote(rows)
  }
  return {
    /** Ends the table before, and begins another. @throws ArchiveRefused if there is none of this name. */
    async begin(line: Static<typeof TableLine>): Promise<void> {
      await end()
      table = tables.find(({ name }) => name === line.table)
      if (!table) throw new ArchiveRefused(`It has rows of the table ${line.table}, which this version does not have.`)
      columns = line.columns
    },
    async add(cells: Static<typeof RowLine>): Promise<void> {
      const of = table
      if (!of) throw new ArchiveRefused('It has rows before it names their table.')
      const row: Row = Object.fromEntries(columns.map((name, n) => [name, readCell(of, name, cells[n] ?? null)]))
      if (of.name in tablesWithFiles && row.storage !== 'mysql') row.storage = storages.current
      batch.push(sealed(seal, tenantKey, of.name, row))
      if (batch.length >= rowsAtOnce(of)) await end()
    },
    end,
  }
}

/** Seals the cell of a row that is sealed, with the key of this installation. */
function sealed(seal: Seal, tenantKey: string, table: string, row: Row): Row {
  const { column, purpose, name } = sealedCells[table] ?? {}
  if (!column || !purpose || !name) return row
  const [what, text] = [{ purpose, tenantKey, name: String(row[name]) }, String(row[column])]
  const mark = table === 'glue_secrets' ? { mark: seal.mark(what, JSON.parse(text).value) } : {}
  return { ...row, ...mark, [column]: seal.seal(what, text) }
}

/** Creates what writes one file after the other to the storage of this installation. */
function fileWriter(storages: Storages, tenantId: TenantId) {
  let file: { bytes: PassThrough; stored: Promise<void> } | undefined
  async function end(): Promise<void> {
    file?.bytes.end()
    await file?.stored
    file = undefined
  }
  return {
    /** Ends the file before, and begins another. */
    async begin({ id: fileId, kind }: Static<typeof FileLine>['file']): Promise<void> {
      await end()
      const bytes = new PassThrough()
      const stored = storages.of(storages.current).write({ tenantId, fileId, kind }, bytes)
      // Whoever writes next, or ends the file, learns of a failure.
      stored.catch(() => bytes.destroy())
      file = { bytes, stored }
    },
    /** Adds bytes, in base64, when the storage has taken those before. */
    async add(text: string): Promise<void> {
      if (!file) throw new ArchiveRefused('It has the bytes of a file before it names the file.')
      if (file.bytes.destroyed) await file.stored
      if (!file.bytes.write(Buffer.from(text, 'base64'))) await Promise.race([once(file.bytes, 'drain'), file.stored])
    },
    end,
  }
}

const thereAlready = (tenantKey: string) =>
  new ArchiveRefused(`There is a tenant '${tenantKey}'. Delete it first: armature tenant delete ${tenantKey}`)

/**
 * Locks the row of a tenant that is being imported, so that nobody begins to delete the tenant before the transaction ends.
 * @throws ArchiveRefused if somebody has given the import up.
 */
async function requireImporting(trx: Knex.Transaction, tenant: TenantId): Promise<void> {
  const row = await trx('tenants').where({ id: tenant, deletion_job_id: importing }).forShare().first('id')
  if (!row)
    throw new ArchiveRefused('The tenant is being deleted, or another import has ended. Begin again after that.')
}

/** @throws ArchiveRefused if the tenant exists, or an id that is unique in the installation. */
async function requireFree(
  db: Knex,
  tenantKey: string,
  { clients, accounts }: Pick<ArchiveSummary, 'clients' | 'accounts'>,
): Promise<void> {
  const tenant = await db('tenants').where({ tenant_key: tenantKey }).first('deletion_job_id')
  if (tenant && tenant.deletion_job_id !== importing) throw thereAlready(tenantKey)
  const ofOthers = (table: string) =>
    db(table).whereNotIn('tenant_id', db('tenants').where({ tenant_key: tenantKey }).select('id'))
  const taken: string[] = [
    ...(await ofOthers('clients').whereIn('client_id', clients).pluck('client_id')),
    ...(await ofOthers('accounts').whereIn('account_id', accounts).pluck('account_id')),
  ]
  if (taken.length > 0)
    throw new ArchiveRefused(
      `Other tenants have these clients or accounts: ${taken.join(', ')}. Delete or rename them there first.`,
    )
}

/**
 * Creates the tenant, or takes up one whose import broke off, after deleting what was written of it.
 * @returns its id. @throws ArchiveRefused if the tenant has come into being meanwhile.
 */
async function beginImport(db: Knex, { tenantKey, tenant }: ArchiveHead): Promise<TenantId> {
  const begun = () => db('tenants').where({ tenant_key: tenantKey, deletion_job_id: importing })
  const row = { ...tenant, created_at: new Date(tenant.created_at), updated_at: new Date(tenant.updated_at) }
  const suspended = { suspended_at: now(db), deletion_job_id: importing }
  const brokenOff = await begun().first('id')
  if (brokenOff) {
    await deleteAllRows(db, brokenOff.id)
    await begun().update({ ...row, ...suspended })
  } else
    await db('tenants')
      .insert({ tenant_key: tenantKey, ...row, ...suspended })
      .catch(error => {
        throw isDuplicate(error) ? thereAlready(tenantKey) : error
      })
  const created = await begun().first('id')
  if (!created) throw thereAlready(tenantKey)
  return created.id
}
