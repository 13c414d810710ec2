// Reads and writes the values of an instance's version, one document for each building block.
import type { Knex } from 'knex'
import { controlsOf, type FormTemplate } from '../../../forms/template.js'
import type { FormValues } from '../../../forms/values.js'
import type { Db, TenantId } from '../../connect.js'
import { insertFrom, upsertRows } from '../../rows.js'
import type { BlockContent } from './reports.js'

/** A version of an instance. */
export interface VersionKey {
  instanceId: string
  versionId: string
}

const columns = ['tenant_id', 'instance_id', 'version_id', 'block_key', 'has_data', 'document']

/**
 * Writes or replaces the values of a version, one document for each building block.
 * @returns the written content, without the values.
 */
export async function writeValues(
  trx: Knex.Transaction,
  tenant: TenantId,
  { instanceId, versionId }: VersionKey,
  template: FormTemplate,
  values: FormValues,
): Promise<BlockContent[]> {
  const documents = new Map(template.buildingBlocks.map(({ key }) => [key, {} as FormValues]))
  for (const [id, { block }] of controlsOf(template)) {
    const document = documents.get(block.key)
    const held = values[id]
    if (document && held) document[id] = held
  }
  const written = [...documents].map(([key, values]) => {
    const hasData = Object.values(values).some(all => all.some(({ type }) => type !== 'empty'))
    const document = JSON.stringify(values)
    return { key, hasData, document, bytes: Buffer.byteLength(document) }
  })
  const rows = written.map(({ key, hasData, document }) => [
    tenant,
    instanceId,
    versionId,
    key,
    hasData ? 1 : 0,
    document,
  ])
  await upsertRows(trx, 'form_values', columns, rows, ['has_data', 'document'])
  return written
}

/** Reads which building blocks of a version have data, and how large they are. */
export async function contentsOf(
  db: Db,
  tenant: TenantId,
  { instanceId, versionId }: VersionKey,
): Promise<BlockContent[]> {
  const rows: { key: string; has_data: number; bytes: number }[] = await db('form_values')
    .where({ tenant_id: tenant, instance_id: instanceId, version_id: versionId })
    .select({ key: 'block_key' }, 'has_data', db.raw('LENGTH(document) AS bytes'))
  return rows.map(({ key, has_data, bytes }) => ({ key, hasData: has_data === 1, bytes }))
}

/** Copies the values of another version. */
export async function copyValues(
  trx: Knex.Transaction,
  tenant: TenantId,
  { instanceId, versionId }: VersionKey,
  from: string,
): Promise<void> {
  const source = trx('form_values')
    .where({ tenant_id: tenant, instance_id: instanceId, version_id: from })
    .select('tenant_id', 'instance_id', trx.raw('?', [versionId]), 'block_key', 'has_data', 'document')
  await insertFrom(trx, 'form_values', columns, source)
}

/**
 * Returns a version's documents, keyed by building block. A version that was never filled in has none.
 * @param blocks limits the result to these building blocks.
 */
export async function documentsOf(
  db: Db,
  tenant: TenantId,
  { instanceId, versionId }: VersionKey,
  blocks?: readonly string[],
): Promise<Map<string, string>> {
  const query = db('form_values')
    .where({ tenant_id: tenant, instance_id: instanceId, version_id: versionId })
    .select('block_key', 'document')
  const rows: { block_key: string; document: string }[] = await (blocks ? query.whereIn('block_key', blocks) : query)
  return new Map(rows.map(row => [row.block_key, row.document]))
}

/** Reads the values of a version in the order of the form. A version that was never filled in has none. */
export async function readValues(
  db: Db,
  tenant: TenantId,
  version: VersionKey,
  template: FormTemplate,
): Promise<FormValues> {
  const byBlock = await documentsOf(db, tenant, version)
  return Object.assign({}, ...template.buildingBlocks.map(({ key }) => JSON.parse(byBlock.get(key) ?? '{}')))
}
