// Accepts multi extracts, and reads their requests.
import type { Knex } from 'knex'
import { isId } from '../../../runtime/ids.js'
import type { Db, TenantId } from '../../connect.js'
import { mergedNamed, survivorsOf } from '../../frame/subjects/subjects-by-id.js'
import { slices } from '../../rows.js'
import { takeInstant } from '../instances/form-clock.js'

/** A selected building block. */
export interface BlockSelection {
  key: string
  /** The selected controls. Default: all. */
  controlIds?: string[] | undefined
}

/** A definition as it was requested. Members that belong to the other type are ignored. */
export interface GivenDefinition {
  identifier: string
  type: 'form' | 'building-block'
  key: string
  version: number
  buildingBlocks?: BlockSelection[] | undefined
  controlIds?: string[] | undefined
}

/** A form or building block whose submissions are extracted (spec forms "Multi extract"). */
export type ExtractDefinition = { identifier: string; key: string; version: number } & (
  | { type: 'form'; buildingBlocks?: BlockSelection[] | undefined }
  | { type: 'building-block'; controlIds?: string[] | undefined }
)

export interface ExtractRequest {
  /** Range of submission times, `from` inclusive and `to` exclusive. ISO 8601 in UTC with milliseconds. */
  from?: string | undefined
  to?: string | undefined
  maxResults?: number | undefined
  maxResultsPerDefinitionPerSubject?: number | undefined
  definitions: ExtractDefinition[]
}

export function definitionOf(given: GivenDefinition): ExtractDefinition {
  const { identifier, type, key, version, buildingBlocks, controlIds } = given
  const named = { identifier, key, version }
  return type === 'form' ? { ...named, type, buildingBlocks } : { ...named, type, controlIds }
}

/** An accepted extract. */
export interface Extract {
  jobId: string
  request: ExtractRequest
  /** The extract shows the results that counted at this instant. */
  instant: Date
  /** Number of results of each definition; undefined until all are listed. */
  taken: number[] | undefined
}

/**
 * Inserts an extract with its job. The job shows how many subjects were requested, but not which. Call it last in the
 * transaction, because other changes of forms wait from here on.
 * @param subjects their ids; undefined means all subjects.
 */
export async function acceptExtract(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  request: ExtractRequest,
  subjects: readonly string[] | undefined,
): Promise<Date> {
  const job = { tenant_id: tenant, job_id: jobId }
  const packed = subjects ? Buffer.from(subjects.join('').replaceAll('-', ''), 'hex') : null
  await trx('form_extracts').insert({
    ...job,
    instant: new Date(0),
    request: JSON.stringify(request),
    subjects: packed,
  })
  const instant = await takeInstant(trx, tenant)
  await trx('form_extracts').where(job).update({ instant })
  const { definitions, ...limits } = request
  const named = definitions.map(({ identifier, type, key, version }) => ({ identifier, type, key, version }))
  const shown = { ...limits, subjects: subjects?.length, definitions: named, instant: instant.toISOString() }
  await trx('jobs')
    .where({ tenant_id: tenant, id: jobId })
    .update({ input: JSON.stringify(shown) })
  return instant
}

/** Reads the extract of a job. Returns undefined if the job is not an extract or was deleted. */
export async function extractOf(db: Db, tenant: TenantId, jobId: string): Promise<Extract | undefined> {
  const row: { instant: Date; request: string; taken: string | null } | undefined = await db('form_extracts')
    .where({ tenant_id: tenant, job_id: jobId })
    .first('instant', 'request', 'taken')
  if (!row) return undefined
  return {
    jobId,
    request: JSON.parse(row.request),
    instant: row.instant,
    taken: row.taken === null ? undefined : JSON.parse(row.taken),
  }
}

/** Reads the ids of the subjects that an extract was requested for. Undefined means all subjects. */
export async function subjectsAsked(db: Db, tenant: TenantId, jobId: string): Promise<string[] | undefined> {
  const row = await db('form_extracts').where({ tenant_id: tenant, job_id: jobId }).first('subjects')
  if (!row?.subjects) return undefined
  const ids = unpacked(row.subjects)
  // The forms of subjects that were merged since the acceptance now belong to the subject they were merged into.
  const survivors = new Map<string, string>()
  for (const some of slices(ids))
    for (const [id, survivor] of await survivorsOf(db, tenant, some)) survivors.set(id, survivor)
  return survivors.size === 0 ? ids : [...new Set(ids.map(id => survivors.get(id) ?? id))]
}

/**
 * Finds the subjects with these values of Id or ExternalId. Returns their ids without duplicates; a merged subject becomes the one
 * it was merged into. Unknown values are ignored.
 */
export async function subjectsOfExtract(db: Db, tenant: TenantId, identifiers: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const some of slices([...new Set(identifiers)].filter(isId))) {
    for (const column of ['id', 'external_id']) {
      const rows: { id: string }[] = await db('subjects')
        .where({ tenant_id: tenant })
        .whereIn(column, some)
        .select('id')
      for (const { id } of rows) found.add(id)
    }
    for (const column of ['subject_id', 'external_id'] as const)
      for (const { survivor_id } of await mergedNamed(db, tenant, column, some)) found.add(survivor_id)
  }
  return [...found]
}

/** Formats an id from 32 hexadecimal digits. */
export const idOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`

function unpacked(ids: Buffer): string[] {
  const hex = ids.toString('hex')
  return Array.from({ length: ids.length / 16 }, (_, n) => idOf(hex.slice(32 * n, 32 * n + 32)))
}
