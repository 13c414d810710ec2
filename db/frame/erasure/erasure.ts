// Takes a subject out of every table (decision record 0041).
import type { Knex } from 'knex'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { eraseInstances } from '../../forms/instances/instance-erasure.js'
import type { PublishedForms } from '../../forms/templates/published-forms.js'
import { eraseData } from '../../glue/data/data-erasure.js'
import { advance, type JobRun, type Step } from '../../jobs/advance.js'
import type { JobRow } from '../../jobs/jobs.js'
import { deleteRows, upsertRows } from '../../rows.js'
import { eraseMerged } from '../merges/merge.js'
import { leaveOrders } from '../orders/field-orders.js'
import { wordsOf } from '../search/search-words.js'
import { indexWords } from '../search/subject-words.js'
import { noteChanges } from '../subjects/subject-changes.js'
import { textsOf } from '../subjects/subject-names.js'
import { subjectSettings } from '../subjects/subject-settings.js'
import { indexValues, matchingHashes, toBytes, valueRows } from '../subjects/subject-values.js'
import { existingSubject, mergedInto, type Subject, subjectsById } from '../subjects/subjects-by-id.js'
import { eraseAccess } from '../users/portal.js'
import type { ErasedPart } from './erased-part.js'
import { eraseRejects } from './erased-rejects.js'

/** Which subject an erasure takes out: the input of its job. */
export interface Erasure {
  subjectId: string
  /** Subjects that were merged into it, and go with it. */
  mergedIds?: string[]
}

/** The erasure of the subject that an id leads to. @throws Problem 404, and 410 where it was erased. */
export async function erasureOfSubject(db: Db, tenant: TenantId, id: string): Promise<Erasure> {
  const subject = await existingSubject(db, tenant, id)
  const merged = await mergedInto(db, tenant, [subject.id])
  const mergedIds = merged.map(({ subject_id }) => subject_id)
  return { subjectId: subject.id, ...(mergedIds.length > 0 ? { mergedIds } : {}) }
}

/**
 * Notes in the transaction that accepts an erasure what it takes out, and that it has begun. From then on nothing is merged with the
 * subject or separated from it. @throws Problem as {@link erasureOfSubject}.
 */
export async function beginErasure(
  trx: Knex.Transaction,
  tenant: TenantId,
  { subjectId }: Erasure,
  { id, actor }: Pick<JobRow, 'id' | 'actor'>,
): Promise<void> {
  const erasure = await erasureOfSubject(trx, tenant, subjectId)
  await trx('jobs')
    .where({ tenant_id: tenant, id })
    .update({ input: JSON.stringify(erasure) })
  await bury(trx, tenant, idsOf(erasure), actor)
}

export const idsOf = ({ subjectId, mergedIds = [] }: Erasure): string[] => [subjectId, ...mergedIds]

/** Parts that reach beyond one transaction: files in storages, and sealed forms. They are safe to repeat. */
export const outerParts = ['uploads', 'deliveries', 'documents', 'later documents'] as const
export type OuterPart = (typeof outerParts)[number]

/**
 * All parts, in their order. Those that look for the subject's values come before the subject. A second look
 * finds the later writes of others: by then nobody finds the subject any more.
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

/** Steps of an erasure, but for those of many rows. */
export const erasureSteps = parts.length

/** How far an erasure is: `position` of its job. */
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
 * @param outer the part beyond the transaction that is done, and how much it erased; else undefined.
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
    const found = { erasure: erasureOf(job), after: place.after, actor, outer: outer?.erased ?? 0 }
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
  { erasure, after, actor, outer }: { erasure: Erasure; after: string | undefined; actor: string; outer: number },
): Promise<ErasedPart> {
  const { subjectId, mergedIds = [] } = erasure
  switch (part) {
    case 'rejects':
      return eraseRejects(trx, tenant, await textsThatName(trx, tenant, erasure), after)
    case 'forms':
    case 'later forms':
      // Extracts of an earlier instant leave out what is erased by it.
      await bury(trx, tenant, idsOf(erasure), actor)
      return eraseInstances(trx, tenant, forms, subjectId)
    case 'data':
    case 'later data':
      return eraseData(trx, tenant, idsOf(erasure))
    case 'subject': {
      const subject = (await subjectsById(trx, tenant, [subjectId])).get(subjectId)
      if (subject) await eraseSubject(trx, tenant, subject, mergedIds)
      await bury(trx, tenant, idsOf(erasure), actor)
      return { erased: subject ? 1 : 0, more: false }
    }
    default:
      return { erased: outer, more: false }
  }
}

/** Fewer characters, as of a bed's number, stand in the rows and forms of many people. */
const leastCharacters = 6

/**
 * Texts of the matching values of a subject and of each that was merged into it. Rows and forms with all texts of a set are
 * the subject's. Sets with a missing value, or too short to tell people apart, are left out.
 */
export async function textsThatName(db: Db, tenant: TenantId, { subjectId }: Erasure): Promise<string[][]> {
  const { matchingFields } = await subjectSettings(db, tenant)
  const subjects = await subjectsById(db, tenant, [subjectId])
  const merged = await mergedInto(db, tenant, [subjectId])
  const values = [...subjects.values()].map(subject => subject.values)
  values.push(...merged.map(({ custom_values }) => JSON.parse(custom_values)))
  return values
    .map(each => matchingFields.map(key => textsOf(each, key)[0] ?? ''))
    .filter(texts => !texts.includes('') && texts.join('').length >= leastCharacters)
}

/** Erases the subject and those that were merged into it, with places, index rows and portal users. */
async function eraseSubject(
  trx: Knex.Transaction,
  tenant: TenantId,
  { id, values }: Subject,
  mergedIds: readonly string[],
): Promise<void> {
  const ids = [id, ...mergedIds]
  const { matchingFields } = await subjectSettings(trx, tenant)
  const matching = matchingHashes(matchingFields, values)
  for (const each of ids) await eraseAccess(trx, tenant, each)
  await leaveOrders(trx, tenant, 'subject', id)
  for (const table of ['subject_locations', 'deactivated_subjects'])
    await trx(table).where({ tenant_id: tenant }).whereIn('subject_id', ids).delete()
  // By their whole keys: the table has no index by subject. The undo of a transfer would put it back.
  const transfers: { job_id: string }[] = await trx('subject_transfer_skips')
    .where({ tenant_id: tenant })
    .distinct('job_id')
  const skips = transfers.flatMap(({ job_id }) => ids.map(each => [tenant, job_id, each]))
  await deleteRows(trx, 'subject_transfer_skips', ['tenant_id', 'job_id', 'subject_id'], skips)
  await indexValues(trx, valueRows(tenant, [{ id, before: values, after: {} }]))
  await eraseMerged(trx, tenant, id, matchingFields)
  await indexWords(trx, tenant, [{ id, before: wordsOf(values), after: [] }])
  const hashes = matching ? [[tenant, toBytes(matching.together)]] : []
  await deleteRows(trx, 'subject_matching_keys', ['tenant_id', 'matching_hash'], hashes)
  await trx('subjects').where({ tenant_id: tenant, id }).delete()
  await noteChanges(trx, tenant, [{ id, kind: 'erased' }])
}

/** Writes the tombstones, or their time again. While there is a subject, its tombstone says that its erasure has begun. */
const bury = (trx: Knex.Transaction, tenant: TenantId, ids: readonly string[], actor: string): Promise<void> => {
  const columns = ['tenant_id', 'subject_id', 'erased_by', 'erased_at']
  const now = new Date()
  const rows = ids.map(id => [tenant, id, actor, now])
  return upsertRows(trx, 'subject_tombstones', columns, rows, ['erased_at'])
}
