// Records the periods in which extracts show a version and its building blocks.
import type { Knex } from 'knex'
import type { FormTemplate } from '../../../forms/template.js'
import type { TenantId } from '../../connect.js'
import { type Cell, upsertRows } from '../../rows.js'
import type { InstanceRow } from './instances.js'

/** The content of a version's building block, without the values. */
export interface BlockContent {
  key: string
  hasData: boolean
  /** Size of its document. */
  bytes: number
}

/** The end of a report that has not ended. */
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
// Columns that are overwritten if two changes have the same millisecond and thus the same key. No extract can have seen
// the first.
const changed = ['counts_until', 'version_id', 'submitted_by', 'bytes']

type Definition = readonly [isBlock: 0 | 1, key: string, version: number]

/**
 * Starts the reports of an instance's latest complete version and of each of its building blocks that has data (spec forms
 * "Limiting rules"). The transaction must have locked the instance.
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

/**
 * Ends all reports of an instance. The transaction must have locked the instance; pass the row as it was before the
 * change.
 */
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
  // Reads without locks first and then updates by full keys. A range update would lock the gaps in which others submit.
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
