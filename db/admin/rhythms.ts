// Writes how often data sets and exports are due, beside how far they are, so that one query finds those that are late.
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { upsertRows } from '../rows.js'
import type { TenantManifest } from './manifest.js'

const daySeconds = 86_400

/**
 * Writes the rhythms of a manifest. Rows that have theirs already are not touched, because a job may have locked them.
 */
export async function writeRhythms(
  trx: Knex.Transaction,
  tenant: TenantId,
  { glue, forms }: Pick<TenantManifest, 'glue' | 'forms'>,
): Promise<void> {
  const ofDataSets = glue.dataExtracts.flatMap(({ key, refreshSeconds }) =>
    refreshSeconds === undefined ? [] : [[key, refreshSeconds] as const],
  )
  const ofExports = (forms.exports ?? []).map(({ key, every = daySeconds }) => [key, every] as const)
  await writeSeconds(trx, tenant, 'data_sets', 'extract_key', new Map(ofDataSets))
  await writeSeconds(trx, tenant, 'form_exports', 'export_key', new Map(ofExports))
}

async function writeSeconds(
  trx: Knex.Transaction,
  tenant: TenantId,
  table: string,
  keyColumn: string,
  wanted: ReadonlyMap<string, number>,
): Promise<void> {
  const rows: { key: string; seconds: number | null }[] = await trx(table)
    .where({ tenant_id: tenant })
    .select({ key: keyColumn, seconds: 'every_seconds' })
  const present = new Map(rows.map(({ key, seconds }) => [key, seconds]))
  const gone = rows.flatMap(({ key, seconds }) => (seconds === null || wanted.has(key) ? [] : [key]))
  const changed = [...wanted].filter(([key, seconds]) => present.get(key) !== seconds)
  if (gone.length > 0)
    await trx(table).where({ tenant_id: tenant }).whereIn(keyColumn, gone).update({ every_seconds: null })
  const columns = ['tenant_id', keyColumn, 'every_seconds']
  await upsertRows(
    trx,
    table,
    columns,
    changed.map(([key, seconds]) => [tenant, key, seconds]),
    ['every_seconds'],
  )
}
