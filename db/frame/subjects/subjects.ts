// Reads, upserts and changes subjects.
import { setImmediate as nextPass } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { conflict, invalid } from '../../../runtime/problems/problem.js'
import { tellIds } from '../../audit/action.js'
import { presentTime } from '../../clock.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { rowsOf, upsertRows } from '../../rows.js'
import type { FieldOrder, GivenValue, SubjectField } from '../fields/custom-field.js'
import { readGiven, requireSize, requireValues, type StoredValues, withChanges } from '../fields/custom-fields.js'
import { indexValues, matchingHashes, valueRows } from '../fields/matching.js'
import { type ChangeKind, noteChanges, type SubjectChange } from '../fields/subject-changes.js'
import { writerSettings } from '../fields/subject-settings.js'
import type { Allows } from '../fields/upsert-permission.js'
import { syncOrders } from '../orders/field-orders.js'
import { wordsOf } from '../search/search-words.js'
import { indexWords } from '../search/subject-words.js'
import { reactivateAll } from './deactivation.js'
import { addLocations, replaceLocations } from './locations.js'
import { lockMatching, type PlannedSubject, planSubjects, type SubjectInput, subjectsMeant } from './subject-plan.js'
import {
  existingSubject,
  type Subject,
  type SubjectRow,
  type SubjectValues,
  subjectColumns,
  subjectOf,
} from './subjects-by-id.js'

/** A subject, with the fields that its values belong to. */
export interface SubjectOfFields {
  subject: Subject
  fields: SubjectField[]
}

/** SQL for one subject. Bindings: tenant, id. */
export const subjectById = `SELECT ${subjectColumns} FROM subjects WHERE tenant_id = ? AND id = ?`

/** Subjects of one tenant (spec frame "Subjects"). */
export const subjectStore = (db: Db, tenant: TenantId) => ({
  /** Reads a subject. Does not follow merges. */
  async byId(id: string): Promise<Subject | undefined> {
    const [row] = await rowsOf<SubjectRow>(db, subjectById, [tenant, id])
    return row && subjectOf(row)
  },

  /**
   * Creates or updates one subject.
   * @throws Problem 400, 403, 409 as {@link upsertSubjects}.
   */
  async upsert(
    input: SubjectInput,
    allows: Allows,
  ): Promise<{ fields: SubjectField[]; subject: SubjectValues; outcome: PlannedSubject['outcome'] }> {
    const { fields, planned } = await transaction(db, tenant, trx => upsertSubjects(trx, tenant, [input], allows))
    const [subject] = planned
    if (!subject) throw new Error('Nothing was planned')
    return { fields, subject: asWritten(subject), outcome: subject.outcome }
  },

  /**
   * Changes some values of a subject.
   * @param at pointer to the list of values in the request.
   * @throws Problem 404 when it does not exist; 400 with every fault; 409 when another subject has the matching values.
   */
  async change(id: string, given: readonly GivenValue[], at: string): Promise<SubjectOfFields> {
    return transaction(db, tenant, async trx => {
      const { settings, orders, subject, after } = await planChange(trx, tenant, id, given, at)
      const { id: ownId, externalId, values: before } = subject
      if (settings.upsert) await requireFreeMatching(trx, tenant, ownId, settings.matchingFields, { before, after })
      const planned = { id: ownId, externalId, outcome: 'updated', before, after, isDeactivated: false } as const
      await writeSubjects(trx, tenant, [{ ...planned, entityKeys: undefined }], orders)
      return { fields: settings.fields, subject: await existingSubject(trx, tenant, ownId) }
    })
  },
})

/**
 * Creates or updates subjects inside the caller's transaction, all or none.
 * @returns the outcome of each input, in the same order.
 * @throws Problem 400, 403, 409 as {@link planSubjects}.
 */
export async function upsertSubjects(
  trx: Knex.Transaction,
  tenant: TenantId,
  inputs: readonly SubjectInput[],
  allows: Allows,
): Promise<{ fields: SubjectField[]; planned: PlannedSubject[] }> {
  const plan = await planSubjects(trx, tenant, inputs, allows)
  await writeSubjects(trx, tenant, plan.planned, plan.orders)
  tellIds(plan.planned.map(({ id }) => id))
  return plan
}

/** Returns a planned subject with the values that it will have once it is written. */
export const asWritten = ({ id, externalId, after }: PlannedSubject): SubjectValues => ({
  id,
  externalId,
  values: after,
})

/**
 * Checks a change of some values and computes the values after it. Writes nothing. Inside a transaction, locks the subject and the
 * settings.
 * @throws Problem 404 when it does not exist; 400 with every fault.
 */
export async function planChange(db: Db, tenant: TenantId, id: string, given: readonly GivenValue[], at: string) {
  const { settings, orders } = await writerSettings(db, tenant)
  const subject = await existingSubject(db, tenant, id)
  const faults: Parameters<typeof invalid>[0] = []
  const changes = readGiven(settings.fields, given, faults, at)
  const after = withChanges(subject.values, changes)
  const changed = settings.fields.filter(({ key }) => changes.has(key))
  requireValues(changed, after, given, faults, at)
  requireSize(after, faults, at)
  if (faults.length > 0) throw invalid(faults)
  return { settings, orders, subject, after }
}

/**
 * Checks, if the matching values of a subject change, that no other subject has the new ones: a later upsert with them could not tell
 * which subject is meant.
 * @throws Problem 409 if another subject has them.
 */
export async function requireFreeMatching(
  trx: Knex.Transaction,
  tenant: TenantId,
  id: string,
  matchingFields: readonly string[],
  { before, after }: Pick<PlannedSubject, 'before' | 'after'>,
): Promise<void> {
  const [was, is] = [matchingHashes(matchingFields, before), matchingHashes(matchingFields, after)]
  if (!is || was?.together === is.together) return
  await lockMatching(trx, tenant, [is.together, ...(was ? [was.together] : [])])
  const [found = []] = await subjectsMeant(trx, tenant, [is.each])
  const other = found.find(each => each.id !== id)
  if (other !== undefined) {
    throw conflict('matching-values-taken', `The subject ${other.id} has these values in the matching fields.`)
  }
}

const columns = ['tenant_id', 'id', 'external_id', 'custom_values', 'created_at', 'updated_at']

/**
 * Writes planned subjects with their places, indexes and changes for the feed, inside the transaction that planned them.
 * @param orders as `writerSettings` has returned them.
 */
export async function writeSubjects(
  trx: Knex.Transaction,
  tenant: TenantId,
  all: readonly Omit<PlannedSubject, 'changes'>[],
  orders: readonly FieldOrder[],
): Promise<void> {
  const planned = [...new Map(all.map(each => [each.id, each])).values()]
  const placed = planned.flatMap(({ id, outcome, entityKeys }) => (entityKeys ? [{ id, outcome, entityKeys }] : []))
  await addLocations(
    trx,
    tenant,
    placed.filter(({ outcome }) => outcome === 'created'),
  )
  const moved = await replaceLocations(
    trx,
    tenant,
    placed.filter(({ outcome }) => outcome === 'updated'),
  )
  await writeValues(trx, tenant, planned, orders)
  await reactivateAll(
    trx,
    tenant,
    planned.filter(({ isDeactivated }) => isDeactivated).map(({ id }) => id),
  )
  const changes = planned.flatMap(({ id, outcome, before, after }): SubjectChange[] => {
    const kinds: ChangeKind[] = []
    if (outcome === 'created' || !hasSameValues(before, after)) kinds.push(outcome)
    if (moved.has(id)) kinds.push('moved')
    return kinds.map(kind => ({ id, kind }))
  })
  await noteChanges(trx, tenant, changes)
}

const hasSameValues = (before: StoredValues, after: StoredValues): boolean =>
  isDeepStrictEqual({ ...before }, { ...after })

type WrittenValues = Pick<PlannedSubject, 'id' | 'externalId' | 'before' | 'after'>

/** Writes the values of planned subjects and updates the indexes and orders that depend on them. */
async function writeValues(
  trx: Knex.Transaction,
  tenant: TenantId,
  planned: readonly WrittenValues[],
  orders: readonly FieldOrder[],
): Promise<void> {
  const rows = planned.map(({ id, externalId, after }) => [
    ...[tenant, id, externalId, JSON.stringify(after), presentTime, presentTime],
  ])
  // Computes the rows of each statement while the database works on the one before. For 1,000 subjects both take equally long.
  const written = upsertRows(trx, 'subjects', columns, rows, ['custom_values', 'updated_at'])
  const values = await meanwhile(written, () => valueRows(tenant, planned))
  const words = await meanwhile(indexValues(trx, values), () =>
    planned.map(({ id, before, after }) => ({ id, before: wordsOf(before), after: wordsOf(after) })),
  )
  await indexWords(trx, tenant, words)
  await syncOrders(trx, tenant, 'subject', orders, () => planned.map(({ id, after }) => ({ id, values: after })))
}

/** Runs `make` while a statement that was sent to the database is under way, and waits for both. */
async function meanwhile<Made>(statement: Promise<unknown>, make: () => Made): Promise<Made> {
  const [made] = await Promise.all([nextPass().then(make), statement])
  return made
}
