// Endpoints that read and write subjects.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { tellIds } from '../../db/audit/action.js'
import { recordLater } from '../../db/audit/later-events.js'
import type { GivenValue } from '../../db/frame/fields/custom-field.js'
import { explainValues, isOfValue } from '../../db/frame/fields/field-faults.js'
import { cachedSubjectSettings, subjectSettings } from '../../db/frame/fields/subject-settings.js'
import { SubjectWrite } from '../../db/frame/fields/value-input.js'
import { type StructuralEntity, structuralEntityStore } from '../../db/frame/hierarchy/structural-entities.js'
import { deactivate, reactivate } from '../../db/frame/subjects/deactivation.js'
import { planSubjects } from '../../db/frame/subjects/subject-plan.js'
import { asWritten, planChange, subjectStore, upsertSubjects } from '../../db/frame/subjects/subjects.js'
import { absentSubject, existingSubject, subjectsLedTo } from '../../db/frame/subjects/subjects-by-id.js'
import type { Outcomes } from '../../db/jobs/idempotent-answers.js'
import { asSingle, badRequest, type Fault } from '../../runtime/problems/problem.js'
import { bufferLines } from '../../runtime/rows/buffered-lines.js'
import type { Caller } from '../caller.js'
import { type Answer, created, type Endpoint, endpoint, ok } from '../endpoint.js'
import { writeSmallBulk } from '../jobs/once.js'
import { idempotencyHeaders } from '../jobs/present.js'
import type { DryPlan } from '../schema/collect-faults.js'
import { presentRead, SubjectPath } from './shapes.js'
import {
  presentSubject,
  presentWrittenSubject,
  SubjectPatch,
  SubjectRead,
  SubjectWithPlaces,
  SubjectWritten,
} from './subject-shapes.js'

const common = { tag: 'Subjects', scopes: ['FrameApi'] } as const
const write = ['Create:Subject', 'Edit:Subject']

const explain =
  (db: Knex) =>
  async (faults: readonly Fault[], items: readonly unknown[], { tenantId }: Caller) => {
    if (!faults.some(isOfValue)) return [...faults]
    const { fields } = await subjectSettings(db, tenantId)
    return explainValues(faults, items, () => fields)
  }

/** Writes a subject whose places are too large to be in memory at once. @param shown the subject with the first of them. */
async function* withMorePlaces(
  shown: Static<typeof SubjectWithPlaces>,
  second: readonly StructuralEntity[],
  others: AsyncIterable<StructuralEntity[]>,
): AsyncGenerator<string> {
  const following = (slice: readonly StructuralEntity[]) =>
    slice.map(entity => `,${JSON.stringify(presentRead(entity))}`).join('')
  // Its last member is the list, which goes on.
  yield JSON.stringify(shown).slice(0, -']}'.length) + following(second)
  for await (const slice of others) yield following(slice)
  yield ']}'
}

const dryPlan = (db: Knex): DryPlan => ({
  standIn: { CustomFieldValues: [] },
  explain: explain(db),
  plan: (items: Static<typeof SubjectWrite>[], { tenantId, allows }: Caller) =>
    planSubjects(db, tenantId, items, allows),
})

const dryChange = (db: Knex): DryPlan => ({
  standIn: { Value: null },
  explain: explain(db),
  async plan(items: (GivenValue & Lists)[], { tenantId }: Caller, { params, single }) {
    const { values, at } = single ? oneList(items[0] ?? {}) : { values: items, at: '' }
    await planChange(db, tenantId, params.subjectId ?? '', values, single ? `/0${at}` : at)
  },
})

/** Reads, changes and upserts subjects (spec frame "Subjects", except the list). */
export const subjectRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'getSubject',
    readsPeople: true,
    summary: 'One subject with its values and the structural entities it is assigned to',
    description:
      'Reads a subject by its Id, deactivated or not. The Id of a merged subject leads to the one that it was merged into, so compare the Id of the answer. An erased subject is 410 `subject-erased`. The answer shows everything that was written before the request.',
    method: 'get',
    path: '/api/v2/subject/:subjectId',
    params: SubjectPath,
    permission: 'View:Subject',
    answers: { 200: SubjectWithPlaces },
    async handle({ params, caller }) {
      const store = structuralEntityStore(db, caller.tenantId)
      const placesOf = async (subjectId: string) => {
        const slices = store.ofSubject(subjectId)
        return [(await slices.next()).value ?? [], slices] as const
      }
      const [settings, found, ofFound] = await Promise.all([
        cachedSubjectSettings(db, caller.tenantId),
        subjectStore(db, caller.tenantId).byId(params.subjectId),
        placesOf(params.subjectId),
      ])
      const subject = found ?? (await existingSubject(db, caller.tenantId, params.subjectId))
      const [first, others] = found ? ofFound : await placesOf(subject.id)
      const second = await others.next()
      const shown = { ...presentSubject(settings.fields, subject), StructuralEntities: first.map(presentRead) }
      if (second.done) return ok(shown)
      return {
        status: 200,
        compressible: bufferLines(withMorePlaces(shown, second.value, others)),
        headers: { 'Content-Type': 'application/json; charset=utf-8' },
      }
    },
  }),

  endpoint({
    ...common,
    operationId: 'patchSubject',
    summary: 'Change some values of a subject',
    description:
      'Writes the named fields and leaves all others, and the places, as they are. A `null` removes an optional value; an array field is replaced as a whole. It does not reactivate a subject. Matching values that another subject has are refused with 409 `matching-values-taken`, because an upsert could no longer tell the two apart.',
    method: 'patch',
    path: '/api/v2/subject/:subjectId',
    params: SubjectPath,
    permission: 'Edit:Subject',
    body: SubjectPatch,
    dryPlan: dryChange(db),
    answers: { 200: SubjectRead },
    problems: ['matching-values-taken', 'two-lists', 'no-list'],
    async handle({ params, body, caller }) {
      const { values, at } = oneList(body)
      const { subject, fields } = await subjectStore(db, caller.tenantId).change(params.subjectId, values, at)
      return ok(presentSubject(fields, subject))
    },
  }),

  ...(['deactivate', 'reactivate'] as const).map(action =>
    endpoint({
      ...common,
      operationId: `${action}Subject`,
      summary:
        action === 'deactivate'
          ? 'Leave a subject out of lists; it stays as it is, and an upsert reactivates it'
          : 'Put a deactivated subject back into lists',
      description:
        action === 'deactivate'
          ? 'Removes the subject from lists and searches, unless they ask for deactivated ones. Nothing else changes: its values, places, documents and forms stay, and every call that names its Id works as before. Deactivating it again changes nothing. An upsert or an import of the subject reactivates it; a PATCH does not.'
          : 'Shows the subject in lists and searches again, with everything that it had. Reactivating an active subject changes nothing.',
      method: 'post',
      path: `/api/v2/subject/:subjectId/${action}`,
      params: SubjectPath,
      permission: 'Edit:Subject',
      answers: { 200: SubjectRead },
      async handle({ params, caller }) {
        const { fields } = await cachedSubjectSettings(db, caller.tenantId)
        const change = action === 'deactivate' ? deactivate : reactivate
        return ok(presentSubject(fields, await change(db, caller.tenantId, params.subjectId)))
      },
    }),
  ),

  ...['/api/v2/subject', '/api/v2/messaging/subject'].flatMap((path, n) => [
    endpoint({
      ...common,
      operationId: n === 0 ? 'upsertSubject' : 'upsertSubjectByMessage',
      summary: 'Create the subject that the matching fields name, or update it',
      description: `Finds the subject by the tenant's matching fields. If there is none it is created (201), with all required fields; otherwise the named fields are updated (200), and StructuralEntityKeys, where given, replaces all its places. Repeating the request therefore changes nothing but UpdatedAt. If the values mean several subjects, the answer is 409 \`ambiguous-match\` with their Ids. ${n === 0 ? 'A deactivated subject is reactivated.' : 'It is upsertSubject at a second address.'}`,
      method: 'post',
      path,
      permission: write,
      body: SubjectWrite,
      dryPlan: dryPlan(db),
      answers: { 200: SubjectWritten, 201: SubjectWritten },
      problems: ['upserts'],
      async handle({ body, caller }) {
        const upsert = subjectStore(db, caller.tenantId).upsert(body, caller.allows)
        const { subject, fields, outcome } = await asSingle(upsert)
        const written = presentWrittenSubject(fields, subject, outcome)
        return outcome === 'created' ? created(written) : ok(written)
      },
    }),

    endpoint({
      ...common,
      operationId: n === 0 ? 'upsertSubjects' : 'upsertSubjectsByMessage',
      summary: 'Create or update at most 20 subjects, all or nothing',
      description: `Does for each subject of the list what upsertSubject does for one, in one transaction: if one is refused, none is written, and every fault is named with the \`index\` of its item. \`outcome\` says for each whether it was created or updated. With the same \`Idempotency-Key\` a repetition is not carried out again and shows the subjects as they are then. ${n === 0 ? 'For more than 20 use importSubjects.' : 'It is upsertSubjects at a second address.'}`,
      method: 'post',
      path: `${path}/bulk`,
      permission: write,
      body: Type.Array(SubjectWrite, { minItems: 1, maxItems: 20 }),
      dryPlan: dryPlan(db),
      headers: idempotencyHeaders,
      answers: { 200: Type.Array(SubjectWritten) },
      problems: ['upserts', 'not-found', 'subject-erased'],
      handle: request => {
        const { caller, body } = request
        return writeSmallBulk(db, request, {
          async write(trx) {
            const { fields, planned } = await upsertSubjects(trx, caller.tenantId, body, caller.allows)
            return {
              outcomes: planned.map(({ id, outcome }) => [id, outcome]),
              answer: ok(planned.map(each => presentWrittenSubject(fields, asWritten(each), each.outcome))),
            }
          },
          repeat: outcomes => written(db, caller, outcomes),
        })
      },
    }),
  ]),
]

/**
 * Answers a repeated bulk with the subjects as they are now, in the order of the request. A merged subject is answered as
 * its survivor.
 * @throws Problem 410 if one of them was erased.
 */
async function written(db: Knex, { tenantId }: Caller, outcomes: Outcomes): Promise<Answer> {
  const [{ fields }, subjects] = await Promise.all([
    subjectSettings(db, tenantId),
    subjectsLedTo(
      db,
      tenantId,
      outcomes.map(([id]) => id),
    ),
  ])
  const written: Static<typeof SubjectWritten>[] = []
  for (const [id, outcome] of outcomes) {
    const subject = subjects.get(id)
    if (!subject) throw await absentSubject(db, tenantId, id)
    written.push(presentWrittenSubject(fields, subject, outcome))
  }
  tellIds(written.map(({ internalId }) => internalId))
  recordLater(tenantId, 'read')
  return ok(written)
}

interface Lists {
  CustomFieldValues?: GivenValue[] | undefined
  CustomFields?: GivenValue[] | undefined
}

/** Returns the list of values in the body of a PATCH, and its pointer. @throws Problem 400 if there are two, or none. */
function oneList(body: GivenValue[] | Lists) {
  if (Array.isArray(body)) return { values: body, at: '' }
  const { CustomFieldValues, CustomFields } = body
  if (CustomFieldValues && CustomFields) {
    throw badRequest('two-lists', 'Give CustomFieldValues or CustomFields, not both.')
  }
  if (CustomFieldValues) return { values: CustomFieldValues, at: '/CustomFieldValues' }
  if (CustomFields) return { values: CustomFields, at: '/CustomFields' }
  throw badRequest('no-list', 'Give the values as an array, or as CustomFieldValues.')
}
