// Erases a subject from every table (decision record 0041).
import type { Knex } from 'knex'
import type { JobProgress } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import type { ErasedPart } from '../erased-part.js'
import { eraseInstances } from '../forms/instances/instance-erasure.js'
import type { PublishedForms } from '../forms/templates/published-forms.js'
import { indexValues, matchingHashes, toBytes, valueRows } from '../frame/fields/matching.js'
import { noteChanges } from '../frame/fields/subject-changes.js'
import { subjectSettings, writerSettings } from '../frame/fields/subject-settings.js'
import { forgetMoves } from '../frame/imports/import-moves.js'
import { leaveOrders } from '../frame/orders/field-orders.js'
import { wordsOf } from '../frame/search/search-words.js'
import { indexWords } from '../frame/search/subject-words.js'
import { textsOf } from '../frame/subjects/subject-names.js'
import { existingSubject, mergedInto, type Subject, subjectsById } from '../frame/subjects/subjects-by-id.js'
import { eraseAccess } from '../frame/users/portal.js'
import { eraseData } from '../glue/data/data-erasure.js'
import { advance, type JobRun, type Step } from '../jobs/advance.js'
import { type JobRow, openStatuses } from '../jobs/job-row.js'
import { deleteRows, upsertRows } from '../rows.js'
import { eraseRejects, type Named } from './erased-rejects.js'
import { eraseMerged } from './merge.js'

/** The subject to erase: the input of an erasure's job. */
export interface Erasure {
  subjectId: string
  /** Subjects that were merged into it. They are erased with it. */
  mergedIds?: string[]
}

/** The job of an erasure, and the client that asked for it. */
type ErasingJob = Pick<JobRow, 'id' | 'actor'>

/** Returns the input for the erasure of the subject that an id leads to. @throws Problem 404 if there is none, 410 if it was erased. */
export async function erasureOfSubject(db: Db, tenant: TenantId, id: string): Promise<Erasure> {
  const subject = await existingSubject(db, tenant, id)
  const merged = await mergedInto(db, tenant, [subject.id])
  const mergedIds = merged.map(({ subject_id }) => subject_id)
  return { subjectId: subject.id, ...(mergedIds.length > 0 ? { mergedIds } : {}) }
}

/**
 * Returns the open job that erases a subject, if there is one. Call it in the transaction that would otherwise begin another: the lock on
 * the subject makes concurrent erasures wait for each other until then.
 * @throws Problem as {@link erasureOfSubject}.
 */
export async function openErasure(
  trx: Knex.Transaction,
  tenant: TenantId,
  { subjectId }: Erasure,
): Promise<string | undefined> {
  const subject = await existingSubject(trx, tenant, subjectId)
  // The first plain read of the transaction, so it sees all that was committed before the lock was granted.
  const job: { id: string } | undefined = await trx('subject_tombstones as t')
    .join('jobs as j', join => join.on('j.tenant_id', 't.tenant_id').on('j.id', 't.erasure_job_id'))
    .where({ 't.tenant_id': tenant, 't.subject_id': subject.id })
    .whereIn('j.status', openStatuses)
    .first('j.id')
  return job?.id
}

/**
 * Begins an erasure, in the transaction that accepts its job: stores which subjects it erases, and writes their tombstones. From then
 * on the subject cannot be merged, and no merge of it can be undone.
 * @throws Problem as {@link erasureOfSubject}.
 */
export async function beginErasure(
  trx: Knex.Transaction,
  tenant: TenantId,
  { subjectId }: Erasure,
  job: ErasingJob,
): Promise<void> {
  const erasure = await erasureOfSubject(trx, tenant, subjectId)
  await trx('jobs')
    .where({ tenant_id: tenant, id: job.id })
    .update({ input: JSON.stringify(erasure) })
  await writeTombstones(trx, tenant, idsOf(erasure), job)
}

export const idsOf = ({ subjectId, mergedIds = [] }: Erasure): string[] => [subjectId, ...mergedIds]

/** The parts of an erasure that cannot be done in one transaction: files in storages, and sealed forms. They are safe to repeat. */
const outerParts = ['uploads', 'deliveries', 'documents', 'later documents'] as const
export type OuterPart = (typeof outerParts)[number]

/**
 * All parts of an erasure, in order. The parts that search for the subject's values come before the subject itself. The parts that come
 * again afterwards, as `later …`, catch what others wrote in the meantime: by then nobody finds the subject any more.
 */
const parts = [
  'uploads',
  'rejects',
  'deliveries',
  'documents',
  'forms',
  'data',
  'subject',
  'later documents',
  'later forms',
  'later data',
] as const
type Part = (typeof parts)[number]

/** The least number of steps of an erasure. Parts with many rows take several. */
export const erasureSteps = parts.length

/** How far an erasure has come; stored as the position of its job. */
interface ErasurePlace {
  part: Part
  after?: string | undefined
}

export function placeOfErasure({ position }: Pick<JobRow, 'position'>): ErasurePlace {
  return position === null ? { part: parts[0] } : JSON.parse(position)
}

export const erasureOf = ({ input }: Pick<JobRow, 'input'>): Erasure => JSON.parse(input ?? '{}')

export const isOuter = (part: Part): part is OuterPart => outerParts.some(each => each === part)

/**
 * Does the next step of an erasure.
 * @param outer if the caller has just done one of the {@link outerParts}: which one, and how much it erased.
 * @throws Problem as {@link advance}.
 */
export const eraseNext = (
  { db, forms }: { db: Db; forms: PublishedForms },
  tenant: TenantId,
  run: JobRun,
  actor: string,
  outer: { part: OuterPart; erased: number } | undefined,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job): Promise<Step | undefined> => {
    const place = placeOfErasure(job)
    if (isOuter(place.part) && place.part !== outer?.part) return undefined
    const found = {
      erasure: erasureOf(job),
      after: place.after,
      by: { id: run.jobId, actor },
      outer: outer?.erased ?? 0,
    }
    const { erased, more, after } = await erase(trx, tenant, forms, place.part, found)
    const next = more ? place.part : parts[parts.indexOf(place.part) + 1]
    return {
      done: job.done + 1,
      end: next === undefined ? 'all' : undefined,
      expected: parts.length - parts.indexOf(place.part),
      counts: erased > 0 ? { [place.part.replace('later ', '')]: erased } : {},
      position: JSON.stringify({ part: next, after }),
    }
  })

async function erase(
  trx: Knex.Transaction,
  tenant: TenantId,
  forms: PublishedForms,
  part: Part,
  { erasure, after, by, outer }: { erasure: Erasure; after: string | undefined; by: ErasingJob; outer: number },
): Promise<ErasedPart> {
  const { subjectId, mergedIds = [] } = erasure
  switch (part) {
    case 'rejects':
      return eraseRejects(trx, tenant, await whatNames(trx, tenant, erasure), after)
    case 'forms':
    case 'later forms':
      // The tombstones must exist before the forms are erased: an extract of an earlier state leaves out missing forms only if their
      // subject has a tombstone.
      await writeTombstones(trx, tenant, idsOf(erasure), by)
      return eraseInstances(trx, tenant, forms, subjectId)
    case 'data':
    case 'later data':
      return eraseData(trx, tenant, idsOf(erasure))
    case 'subject': {
      const subject = (await subjectsById(trx, tenant, [subjectId])).get(subjectId)
      if (subject) await eraseSubject(trx, tenant, subject, mergedIds)
      await writeTombstones(trx, tenant, idsOf(erasure), by)
      return { erased: subject ? 1 : 0, more: false }
    }
    default:
      return { erased: outer, more: false }
  }
}

/** A shorter text, such as the number of a bed, may occur in the rows and forms of many people. */
const minCharacters = 6

/**
 * Returns the matching values of a subject and of each subject that was merged into it. A row or form in which all texts of a set occur
 * belongs to the subject. Leaves out texts of a set with a missing value, and of one that is too short to tell people apart.
 */
export async function whatNames(db: Db, tenant: TenantId, { subjectId }: Erasure): Promise<Named> {
  const { matchingFields } = await subjectSettings(db, tenant)
  const subjects = await subjectsById(db, tenant, [subjectId])
  const merged = await mergedInto(db, tenant, [subjectId])
  const values = [...subjects.values()].map(subject => subject.values)
  values.push(...merged.map(({ custom_values }) => JSON.parse(custom_values)))
  return {
    hashes: values.flatMap(each => matchingHashes(matchingFields, each)?.together ?? []),
    texts: values
      .map(each => matchingFields.map(key => textsOf(each, key)[0] ?? ''))
      .filter(texts => !texts.includes('') && texts.join('').length >= minCharacters),
  }
}

/** Erases the subject and those that were merged into it, including places, index rows and portal users. */
async function eraseSubject(
  trx: Knex.Transaction,
  tenant: TenantId,
  { id, values }: Subject,
  mergedIds: readonly string[],
): Promise<void> {
  const ids = [id, ...mergedIds]
  const { matchingFields } = (await writerSettings(trx, tenant)).settings
  const matching = matchingHashes(matchingFields, values)
  for (const each of ids) await eraseAccess(trx, tenant, each)
  await leaveOrders(trx, tenant, 'subject', id)
  for (const table of ['subject_locations', 'deactivated_subjects'])
    await trx(table).where({ tenant_id: tenant }).whereIn('subject_id', ids).delete()
  // Without this, undoing a transfer would assign the subject again. The rows are deleted by their whole keys, because the table has
  // no index by subject.
  const transfers: { job_id: string }[] = await trx('subject_transfer_skips')
    .where({ tenant_id: tenant })
    .distinct('job_id')
  const skips = transfers.flatMap(({ job_id }) => ids.map(each => [tenant, job_id, each]))
  await deleteRows(trx, 'subject_transfer_skips', ['tenant_id', 'job_id', 'subject_id'], skips)
  await forgetMoves(trx, tenant, ids)
  await indexValues(trx, valueRows(tenant, [{ id, before: values, after: {} }]))
  await eraseMerged(trx, tenant, id, matchingFields)
  await indexWords(trx, tenant, [{ id, before: wordsOf(values), after: [] }])
  const hashes = matching ? [[tenant, toBytes(matching.together)]] : []
  await deleteRows(trx, 'subject_matching_keys', ['tenant_id', 'matching_hash'], hashes)
  await trx('subjects').where({ tenant_id: tenant, id }).delete()
  await noteChanges(trx, tenant, [{ id, kind: 'erased' }])
}

/** Writes tombstones, or updates their time and job. As long as the subject exists, its tombstone means that its erasure has begun. */
const writeTombstones = (
  trx: Knex.Transaction,
  tenant: TenantId,
  ids: readonly string[],
  { id: jobId, actor }: ErasingJob,
): Promise<void> => {
  const columns = ['tenant_id', 'subject_id', 'erased_by', 'erased_at', 'erasure_job_id']
  const now = new Date()
  const rows = ids.map(id => [tenant, id, actor, now, jobId])
  return upsertRows(trx, 'subject_tombstones', columns, rows, ['erased_at', 'erasure_job_id'])
}
