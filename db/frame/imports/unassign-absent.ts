// Unassigns the subjects that are missing from a full load.
import type { Knex } from 'knex'
import Type from 'typebox'
import { conflict, forbidden } from '../../../runtime/problems/problem.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Counts, type OpenJob, type Step } from '../../jobs/advance.js'
import { deleteRows, groupedBy } from '../../rows.js'
import { matchingHashes } from '../fields/matching.js'
import { noteChanges } from '../fields/subject-changes.js'
import type { Allows } from '../fields/upsert-permission.js'
import { regionOf } from '../hierarchy/hierarchy-state.js'
import { upsertSettings } from '../subjects/subject-plan.js'
import { mergedInto, type SubjectRow, subjectColumns, subjectOf } from '../subjects/subjects-by-id.js'
import { firstRows } from './duplicate-rows.js'
import { saveMoves } from './import-moves.js'
import type { Import, ImportIds } from './imports.js'
import { type ImportPlace, placeOf } from './subject-import.js'

/** How many subjects one transaction looks at. */
const atOnce = 1_000

/** The permission that an import with Absent=unassign needs. */
export const absentPermission = 'Delete:SubjectLocation'

/** Creates the schema of the most subjects that an import unassigns: a number such as `50`, or a percentage such as `10%`. */
export const absentAtMost = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(\\d{1,9}|(100|\\d{1,2})%)$', description, examples: ['10%', '50'] }))
export const absentAtMostByDefault = '10%'

/**
 * Counts, then unassigns the next subjects that no row of the upload names, as one step of an import whose rows have all been read.
 * Leaves alone subjects without matching values, and assignments that were made after the import was accepted.
 * @throws Problem 409 if a refused row does not say which subject it means, or if more subjects are absent than the import may unassign;
 *   403 without the permission; and as {@link advance}.
 */
export async function unassignAbsent(
  db: Db,
  tenant: TenantId,
  { fileId, ...run }: ImportIds,
  format: Import,
  allows: Allows,
): Promise<JobProgress> {
  const { dryRun, below } = format
  const region = below === undefined ? undefined : (await regionOf(db, tenant, [below])).keys
  return advance(db, tenant, run, async (trx, job): Promise<Step | undefined> => {
    const place = placeOf(job)
    if (place.pass !== 'count' && place.pass !== 'absent') return undefined
    const { unidentified = 0 }: Counts = JSON.parse(job.counts)
    if (unidentified > 0) throw unknownAbsent(unidentified, dryRun)
    if (!allows(absentPermission))
      throw forbidden(`${absentPermission} is needed for Absent=unassign. The client lacks it.`)
    const { after = '', absent = 0 } = place
    const isCounting = place.pass === 'count'
    if (!isCounting && after === '') refuseTooMany(run.jobId, job, absent, format)
    if (!isCounting && dryRun) return { done: job.done, end: 'all', counts: {} }

    const page = await absentOf(trx, tenant, fileId, { after, isCounting })
    const held = await locationsOf(trx, tenant, page.absent, isCounting)
    const gone = held.filter(
      row => row.assigned_at <= job.accepted_at && (region === undefined || region.has(row.entity_key)),
    )
    const goneOf = groupedBy(gone, row => row.subject_id)
    if (isCounting) {
      const counted = absent + goneOf.size
      const next: ImportPlace = page.isLast
        ? { ...place, pass: 'absent', after: '', absent: counted }
        : { ...place, after: page.last, absent: counted }
      const counts: Counts = dryRun ? { unassigned: goneOf.size } : {}
      return { done: job.done, end: undefined, counts, position: JSON.stringify(next) }
    }
    const columns = ['tenant_id', 'entity_key', 'subject_id']
    await deleteRows(
      trx,
      'subject_locations',
      columns,
      gone.map(({ entity_key, subject_id }) => [tenant, entity_key, subject_id]),
    )
    const isGone = new Set(gone)
    const heldOf = groupedBy(held, row => row.subject_id)
    const moves = [...goneOf.keys()].map(id => {
      const rows = heldOf.get(id) ?? []
      const keys = (some: typeof rows) => some.map(({ entity_key }) => entity_key)
      return { id, before: keys(rows), after: keys(rows.filter(row => !isGone.has(row))) }
    })
    await saveMoves(trx, tenant, run.jobId, moves)
    await noteChanges(
      trx,
      tenant,
      moves.map(({ id }) => ({ id, kind: 'moved' })),
    )
    const next: ImportPlace = { ...place, after: page.last }
    return {
      done: job.done,
      end: page.isLast ? 'all' : undefined,
      counts: { unassigned: moves.length },
      position: JSON.stringify(next),
    }
  })
}

/**
 * Finds, among the next subjects with a place, those that no row of the upload names. Locks them for writing, unless they are only
 * counted.
 */
async function absentOf(
  trx: Knex.Transaction,
  tenant: TenantId,
  fileId: string,
  { after, isCounting }: { after: string; isCounting: boolean },
): Promise<{ absent: string[]; last: string; isLast: boolean }> {
  const { matchingFields } = (await upsertSettings(trx, tenant)).settings
  const page: { subject_id: string }[] = await trx('subject_locations')
    .where({ tenant_id: tenant })
    .where('subject_id', '>', after)
    .orderBy('subject_id')
    .limit(atOnce)
    .distinct('subject_id')
  const ids = page.map(({ subject_id }) => subject_id)
  const query = trx('subjects').where({ tenant_id: tenant }).whereIn('id', ids).select(subjectColumns)
  const subjects: SubjectRow[] = await (isCounting ? query : query.forUpdate())
  // A row with the matching values of a merged subject names its survivor.
  const merged = await mergedInto(trx, tenant, ids)
  const named = [
    ...subjects.map(row => ({ id: row.id, values: subjectOf(row).values })),
    ...merged.map(({ survivor_id, custom_values }) => ({ id: survivor_id, values: JSON.parse(custom_values) })),
  ]
  const hashes = named.flatMap(({ id, values }) => {
    const matching = matchingHashes(matchingFields, values)
    return matching ? [{ id, hash: matching.together }] : []
  })
  const inUpload = new Map(
    await firstRows(
      trx,
      tenant,
      fileId,
      hashes.map(({ hash }) => hash),
    ),
  )
  const present = new Set(hashes.flatMap(({ id, hash }) => (inUpload.has(hash) ? [id] : [])))
  const absent = [...new Set(hashes.map(({ id }) => id))].filter(id => !present.has(id))
  return { absent, last: ids.at(-1) ?? after, isLast: ids.length < atOnce }
}

interface LocationRow {
  subject_id: string
  entity_key: string
  assigned_at: Date
}

function locationsOf(
  trx: Knex.Transaction,
  tenant: TenantId,
  ids: readonly string[],
  isCounting: boolean,
): Promise<LocationRow[]> {
  const query = trx('subject_locations').where({ tenant_id: tenant }).whereIn('subject_id', ids)
  return (isCounting ? query : query.forUpdate()).select('subject_id', 'entity_key', 'assigned_at')
}

/**
 * Compares the subjects that would lose their places with the limit of the import. A percentage is one of the subjects that the import
 * has updated or would unassign, so that people who are new in the file do not count. It is rounded up.
 * @throws Problem 409 if there are more.
 */
function refuseTooMany(
  jobId: string,
  job: OpenJob,
  absent: number,
  { dryRun, absentAtMost: text = absentAtMostByDefault }: Import,
): void {
  const { updated = 0 }: Counts = JSON.parse(job.counts)
  const known = updated + absent
  const number = Number.parseInt(text, 10)
  const limit = text.endsWith('%') ? Math.ceil((known * number) / 100) : number
  if (absent <= limit) return
  throw conflict(
    'too-many-absent',
    `${isWritten(dryRun)}: ${absent} of ${known} subjects are not in the file, and AbsentAtMost is ${text}. ` +
      `If they are to lose their places, send POST /api/v1/jobs/${jobId}/retry?AbsentAtMost=${absent}.`,
  )
}

const isWritten = (dryRun: boolean) =>
  dryRun ? 'Nothing was written' : 'The valid rows are written, but nobody was unassigned'

const unknownAbsent = (rows: number, dryRun: boolean) =>
  conflict(
    'absent-unknown',
    `${isWritten(dryRun)}: ${rows} of the refused ` +
      'rows do not say whom they mean, and their subjects would count as absent. ' +
      'Correct the rows and import the whole file again.',
  )
