// Notes from which instant on a version's building blocks are reported by extracts.
import type { Knex } from 'knex'
import type { FormTemplate } from '../../../forms/template.js'
import type { TenantId } from '../../connect.js'
import { type Cell, upsertRows } from '../../rows.js'
import type { InstanceRow } from './instances.js'

/** Values of a building block of a version. */
export interface BlockContent {
  key: string
  hasData: boolean
  /** Of its document. */
  bytes: number
}

/** The end of a report without an end. */
export const forever = new Date('9999-12-31T00:00:00Z')

export const columns = [
  'tenant_id',
  'is_block',
  'definition_key',
  'definition_version',
  'submitted_at',
  'instance_id',
  'counts_from',
  'counts_until',
  'version_id',
  'subject_id',
  'submitted_by',
  'correlation_id',
  'bytes',
]
// A change in the millisecond of another has its key, and the other was never to be seen.
const changed = ['counts_until', 'version_id', 'submitted_by', 'bytes']

type Definition = readonly [isBlock: 0 | 1, key: string, version: number]

/**
 * Begins the reports of an instance at a time: of its reported version, and of each building block with data (spec
 * forms "Limiting rules"). The transaction holds the instance.
 */
export async function startReports(
  trx: Knex.Transaction,
  tenant: TenantId,
  row: InstanceRow,
  template: FormTemplate,
  contents: readonly BlockContent[],
  at: Date,
): Promise<void> {
  const { id, reported_version, submitted_at, submitted_by, subject_id, correlation_id } = row
  if (!reported_version || !submitted_at || !submitted_by) return
  const versions = new Map(template.buildingBlocks.map(({ key, version }) => [key, version]))
  const withData = contents.filter(({ hasData }) => hasData)
  const reported = (definition: Definition, bytes: number): Cell[] => [
    tenant,
    ...definition,
    submitted_at,
    id,
    at,
    forever,
    reported_version,
    subject_id,
    submitted_by,
    correlation_id,
    bytes,
  ]
  const whole = contents.reduce((sum, { bytes }) => sum + bytes, 0)
  const rows = [
    reported([0, template.key, template.version], whole),
    ...withData.map(({ key, bytes }) => reported([1, key, versions.get(key) ?? 0], bytes)),
  ]
  await upsertRows(trx, 'form_reports', columns, rows, changed)
}

/** Ends what extracts show of an instance, at a time. The transaction holds the instance, as it was until now. */
export async function endReports(
  trx: Knex.Transaction,
  tenant: TenantId,
  { id, submitted_at }: InstanceRow,
  template: FormTemplate,
  at: Date,
): Promise<void> {
  if (!submitted_at) return
  const definitions: Definition[] = [
    [0, template.key, template.version],
    ...template.buildingBlocks.map(({ key, version }): Definition => [1, key, version]),
  ]
  const one = { tenant_id: tenant, submitted_at, instance_id: id }
  const keyOf = ([is_block, definition_key, definition_version]: Definition) => ({
    ...one,
    is_block,
    definition_key,
    definition_version,
  })
  // First by a plain read, then by whole keys: the gaps between keys, where others submit, stay open.
  const present: (ReturnType<typeof keyOf> & { counts_from: Date })[] = await trx('form_reports')
    .where(each => {
      for (const definition of definitions) each.orWhere(keyOf(definition))
    })
    .where({ counts_until: forever })
    .select('is_block', 'definition_key', 'definition_version', 'counts_from')
  if (present.length === 0) return
  await trx('form_reports')
    .where(each => {
      for (const row of present) each.orWhere({ ...one, ...row })
    })
    .update({ counts_until: at })
}
