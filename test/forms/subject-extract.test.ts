import { beforeAll, describe, expect, test } from 'vitest'
import { pairForm, pairValues } from '../support/extract-forms.js'
import { type ExtractResult, instanceExtractPath, textsIn } from '../support/extracts.js'
import type { FormsTenant } from '../support/forms.js'
import { refusal } from '../support/frame.js'
import { notesTenant, type Patient, whole } from '../support/instances.js'
import { addPerson } from '../support/subjects.js'

// What narrows it is in subject-extract-narrowing.test.ts, the shapes of values in extract-shapes.test.ts, who may have it in
// extract-access.test.ts.

let tenant: FormsTenant
let patient: Patient
/** Of {@link pairForm}, submitted. */
let pair: string
beforeAll(async () => {
  ;({ tenant, patient } = await notesTenant())
  await tenant.publish(pairForm)
  pair = await submitted(pairValues, { formKey: 'pair' })
})

async function submitted(values: object = whole, more: object = {}): Promise<string> {
  const guid = await patient.created(more)
  expect(await patient.submit(guid, values)).toMatchObject({ status: 200 })
  return guid
}

const path = (guid: string, subject = tenant.subjectId) => instanceExtractPath(subject, guid)
const read = (guid: string, subject?: string) => tenant.forms.get<ExtractResult>(path(guid, subject))

test('all building blocks and controls of an instance are extracted, with whom it is of and who submitted it', async () => {
  const before = new Date().toISOString()
  const guid = await submitted(pairValues, { formKey: 'pair', correlationId: 'visit 7' })
  const { status, headers, body } = await read(guid)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const control = (id: string, label: string, value: string) => ({
    id,
    label,
    dataType: 'string',
    values: [{ type: 'single-value', repeatIterationIndex: null, value }],
  })
  const history = (await patient.history(guid)).body.compositeInstanceHistory.at(-1)
  expect(body).toEqual({
    instanceGuid: guid,
    subjectIdentifier: tenant.subjectId,
    submittedByUserIdentifier: history?.createdByUserIdentifier,
    submissionDateTime: history?.createdDateTimeUtc,
    correlationId: 'visit 7',
    buildingBlocks: [
      { key: 'first', controls: [control('a', 'A', '1'), control('b', 'B', '2')] },
      { key: 'second', controls: [control('c', 'C', '3')] },
    ],
  })
  expect(body.submissionDateTime >= before).toBe(true)
})

test('the subject is named by its Id or its ExternalId, and guids count in any letter case', async () => {
  const { body } = await read(pair)
  for (const subject of [tenant.externalId, tenant.subjectId.toUpperCase()])
    expect((await read(pair.toUpperCase(), subject)).body).toEqual(body)
})

describe('the latest version that is complete counts', () => {
  const noteOf = async (guid: string) => {
    const { status, body } = await read(guid)
    return status === 200 ? textsIn(body).small?.note : status
  }

  test('also while it is amended; what is submitted then takes its place', async () => {
    const guid = await submitted()
    const first = (await read(guid)).body
    await patient.amend(guid)
    await patient.save(guid, { ...whole, note: 'draft' }, '*')
    expect((await read(guid)).body).toEqual(first)
    expect((await patient.submit(guid, { ...whole, note: 'amended' }, '*')).status).toBe(200)
    const second = (await read(guid)).body
    expect(textsIn(second)).toEqual({ small: { note: ['amended'], must: ['b'] } })
    expect(second.submissionDateTime > first.submissionDateTime).toBe(true)
  })

  test('and again when an amendment is discarded', async () => {
    const guid = await submitted()
    await patient.amend(guid)
    await patient.save(guid, { ...whole, note: 'draft' }, '*')
    expect((await patient.discard(guid, '*')).status).toBe(200)
    expect(await noteOf(guid)).toEqual(['a'])
  })

  test('not while the instance is withdrawn, and again when it is reinstated', async () => {
    const guid = await submitted()
    await patient.withdraw(guid)
    expect(await noteOf(guid)).toBe(404)
    await patient.reinstate(guid)
    expect(await noteOf(guid)).toEqual(['a'])
  })
})

describe('it is 404', () => {
  const gone = { status: 404, code: 'not-found', errors: [] }
  const isGone = async (at: string) => {
    expect(refusal(await tenant.forms.get(at))).toEqual(gone)
    for (const body of [{ definitions: [{ key: 'first' }] }, { definitions: [{ key: 'unknown' }] }, {}])
      expect(refusal(await tenant.forms.post(at, body))).toEqual(gone)
  }

  test.each<[string, (guid: string) => Promise<unknown>]>([
    ['new', async () => undefined],
    ['a draft', guid => patient.save(guid, whole)],
    ['discarded', guid => patient.discard(guid, '*')],
  ])('where the instance is %s and was never complete', async (_, step) => {
    const guid = await patient.created()
    await step(guid)
    await isGone(path(guid))
  })

  test('where there is no such instance or subject, or it is of another subject', async () => {
    const stranger = await addPerson(tenant, 'stranger')
    const none = crypto.randomUUID()
    for (const at of [path(none), path('nothing'), path(pair, none), path(pair, 'nobody'), path(pair, stranger)])
      await isGone(at)
  })
})
