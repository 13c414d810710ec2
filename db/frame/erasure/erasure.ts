// Takes a subject out of every table (decision record 0041).
import type { Knex } from 'knex'
import { notFound, Problem } from '../../../runtime/problem.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { eraseInstances } from '../../forms/instances/instance-erasure.js'
import type { PublishedForms } from '../../forms/templates/published-forms.js'
import { eraseData } from '../../glue/data/data-erasure.js'
import { advance, type Step } from '../../jobs/advance.js'
import type { JobRow } from '../../jobs/jobs.js'
import { deleteRows, upsertRows } from '../../rows.js'
import { leaveOrders } from '../orders/field-orders.js'
import { wordsOf } from '../search/search-words.js'
import { indexWords } from '../search/subject-words.js'
import { noteChanges } from '../subjects/subject-changes.js'
import { textsOf } from '../subjects/subject-names.js'
import { type Subject, subjectsById } from '../subjects/subject-plan.js'
import { subjectSettings } from '../subjects/subject-settings.js'
import { indexValues, matchingHashes, toBytes, valueRows } from '../subjects/subject-values.js'
import { eraseAccess } from '../users/portal.js'
import type { ErasedPart } from './erased-part.js'
import { eraseRejects } from './erased-rejects.js'

/** Which subject an erasure takes out: the input of its job. */
export interface Erasure {
  subjectId: string
}

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
  { id, actor }: Pick<JobRow, 'id' | 'actor'>,
  outer: { part: OuterPart; erased: number } | undefined,
): Promise<JobProgress> =>
  advance(db, tenant, id, async (trx, job): Promise<Step | undefined> => {
    const place = placeOfErasure(job)
    if (isOuter(place.part) && place.part !== outer?.part) return undefined
    const found = { subjectId: erasureOf(job).subjectId, after: place.after, actor, outer: outer?.erased ?? 0 }
    const { erased, more, after } = await erase(trx, tenant, forms, place.part, found)
    const next = more ? place.part : parts[parts.indexOf(place.part) + 1]
    return {
      done: job.done + 1,
      ended: next === undefined,
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
  { subjectId, after, actor, outer }: { subjectId: string; after: string | undefined; actor: string; outer: number },
): Promise<ErasedPart> {
  switch (part) {
    case 'rejects': {
      const texts = await textsThatName(trx, tenant, subjectId)
      return eraseRejects(trx, tenant, texts, after)
    }
    case 'forms':
    case 'later forms':
      // Extracts of an earlier instant leave out what is erased by it.
      await bury(trx, tenant, subjectId, actor)
      return eraseInstances(trx, tenant, forms, subjectId)
    case 'data':
    case 'later data':
      return eraseData(trx, tenant, subjectId)
    case 'subject': {
      const subject = (await subjectsById(trx, tenant, [subjectId])).get(subjectId)
      if (subject) await eraseSubject(trx, tenant, subject, actor)
      return { erased: subject ? 1 : 0, more: false }
    }
    default:
      return { erased: outer, more: false }
  }
}

/** Fewer characters, as of a bed's number, stand in the rows and forms of many people. */
const leastCharacters = 6

/**
 * The texts of a subject's matching values. Rows and forms that have all of them are the subject's. None where a value is
 * missing, or where all together are too short to tell people apart.
 */
export async function textsThatName(db: Db, tenant: TenantId, subjectId: string): Promise<string[]> {
  const { matchingFields } = await subjectSettings(db, tenant)
  const subject = (await subjectsById(db, tenant, [subjectId])).get(subjectId)
  const texts = matchingFields.map(key => (subject ? (textsOf(subject.values, key)[0] ?? '') : ''))
  return texts.includes('') || texts.join('').length < leastCharacters ? [] : texts
}

/** Erases the subject with its places, index rows and portal users, and leaves the tombstone. */
async function eraseSubject(trx: Knex.Transaction, tenant: TenantId, subject: Subject, actor: string): Promise<void> {
  const { id, values } = subject
  const { matchingFields } = await subjectSettings(trx, tenant)
  const matching = matchingHashes(matchingFields, values)
  await eraseAccess(trx, tenant, id)
  await leaveOrders(trx, tenant, 'subject', id)
  for (const table of ['subject_locations', 'subject_duplicates', 'deactivated_subjects'])
    await trx(table).where({ tenant_id: tenant, subject_id: id }).delete()
  // By their whole keys: the table has no index by subject. The undo of a transfer would put it back.
  const transfers: { job_id: string }[] = await trx('subject_transfer_skips')
    .where({ tenant_id: tenant })
    .distinct('job_id')
  const skips = transfers.map(({ job_id }) => [tenant, job_id, id])
  await deleteRows(trx, 'subject_transfer_skips', ['tenant_id', 'job_id', 'subject_id'], skips)
  await indexValues(trx, valueRows(tenant, [{ id, before: values, after: {} }]))
  await indexWords(trx, tenant, [{ id, before: wordsOf(values), after: [] }])
  const hashes = matching ? [[tenant, toBytes(matching.together)]] : []
  await deleteRows(trx, 'subject_matching_keys', ['tenant_id', 'matching_hash'], hashes)
  await trx('subjects').where({ tenant_id: tenant, id }).delete()
  await bury(trx, tenant, id, actor)
  await noteChanges(trx, tenant, [{ id, kind: 'erased' }])
}

/** Writes the tombstone, or its time again. While there is a subject, the tombstone says that its erasure has begun. */
const bury = (trx: Knex.Transaction, tenant: TenantId, id: string, actor: string): Promise<void> => {
  const columns = ['tenant_id', 'subject_id', 'erased_by', 'erased_at']
  return upsertRows(trx, 'subject_tombstones', columns, [[tenant, id, actor, new Date()]], ['erased_at'])
}

/** The problem of a subject that is not there: 410 where it was erased, else 404. */
export async function absentSubject(db: Db, tenant: TenantId, id: string): Promise<Problem> {
  const tombstone = await db('subject_tombstones').where({ tenant_id: tenant, subject_id: id }).first('erased_at')
  if (!tombstone) return notFound(`There is no subject '${id}'.`)
  const detail = `The subject '${id}' was erased at ${tombstone.erased_at.toISOString()}. Forget it, and do not ask again.`
  return new Problem('subject-erased', detail)
}
