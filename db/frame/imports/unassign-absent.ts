// Unassigns the subjects that are missing from a full load.
import { conflict, forbidden } from '../../../runtime/problems/problem.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Counts, type Step } from '../../jobs/advance.js'
import { matchingHashes } from '../fields/matching.js'
import { noteChanges } from '../fields/subject-changes.js'
import type { Allows } from '../fields/upsert-permission.js'
import { upsertSettings } from '../subjects/subject-plan.js'
import { mergedInto, subjectsById } from '../subjects/subjects-by-id.js'
import { firstRows } from './duplicate-rows.js'
import type { Import, ImportIds } from './imports.js'
import { type ImportPlace, placeOf } from './subject-import.js'

/** How many subjects one transaction looks at. */
const atOnce = 1_000

/** The permission that an import with Absent=unassign needs. */
export const absentPermission = 'Delete:SubjectLocation'

/**
 * Unassigns the next subjects that no row of the upload names, as one step of an import whose rows have all been read. Leaves alone
 * subjects without matching values, and assignments that were made after the import was accepted.
 * @throws Problem 409 if a refused row does not say which subject it means; 403 without the permission; and as {@link advance}.
 */
export const unassignAbsent = (
  db: Db,
  tenant: TenantId,
  { fileId, ...run }: ImportIds,
  { dryRun }: Import,
  allows: Allows,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job): Promise<Step | undefined> => {
    const place = placeOf(job)
    if (place.pass !== 'absent') return undefined
    const { unidentified = 0 }: Counts = JSON.parse(job.counts)
    if (unidentified > 0) throw unknownAbsent(unidentified, dryRun)
    if (!allows(absentPermission))
      throw forbidden(`${absentPermission} is needed for Absent=unassign. The client lacks it.`)
    const { matchingFields } = await upsertSettings(trx, tenant)
    const located = () => trx('subject_locations').where({ tenant_id: tenant })
    const page: { subject_id: string }[] = await located()
      .where('subject_id', '>', place.after ?? '')
      .orderBy('subject_id')
      .limit(atOnce)
      .distinct('subject_id')
    const ids = page.map(({ subject_id }) => subject_id)
    const subjects = await subjectsById(trx, tenant, ids)
    // A row with the matching values of a merged subject names its survivor.
    const merged = await mergedInto(trx, tenant, ids)
    const named = [
      ...ids.map(id => ({ id, values: subjects.get(id)?.values ?? {} })),
      ...merged.map(({ survivor_id, custom_values }) => ({ id: survivor_id, values: JSON.parse(custom_values) })),
    ]
    const hashes = named.flatMap(({ id, values }) => {
      const matching = matchingHashes(matchingFields, values)
      return matching ? [{ id, hash: matching.together }] : []
    })
    const given = new Map(
      await firstRows(
        trx,
        tenant,
        fileId,
        hashes.map(({ hash }) => hash),
      ),
    )
    const present = new Set(hashes.flatMap(({ id, hash }) => (given.has(hash) ? [id] : [])))
    const absent = [...new Set(hashes.map(({ id }) => id))].filter(id => !present.has(id))
    const earlier = () => located().whereIn('subject_id', absent).where('assigned_at', '<=', job.accepted_at)
    const unassigned: { subject_id: string }[] = await earlier().forUpdate().distinct('subject_id')
    if (!dryRun) {
      await earlier().delete()
      await noteChanges(
        trx,
        tenant,
        unassigned.map(({ subject_id: id }) => ({ id, kind: 'moved' })),
      )
    }
    const position: ImportPlace = { ...place, after: ids.at(-1) ?? place.after ?? '' }
    return {
      done: job.done,
      end: ids.length < atOnce ? 'all' : undefined,
      counts: { unassigned: unassigned.length },
      position: JSON.stringify(position),
    }
  })

const unknownAbsent = (rows: number, dryRun: boolean) =>
  conflict(
    'absent-unknown',
    `${dryRun ? 'Nothing was written' : 'The valid rows are written, but nobody was unassigned'}: ${rows} of the refused ` +
      'rows do not say whom they mean, and their subjects would count as absent. ' +
      'Correct the rows and import the whole file again.',
  )
