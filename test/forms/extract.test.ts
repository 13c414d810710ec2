import { beforeAll, expect, test } from 'vitest'
import { blockAsked, extract, extractedIds, formAsked } from '../support/extracts.js'
import type { FormsTenant } from '../support/forms.js'
import { notesTenant, type Patient, whole } from '../support/instances.js'

let tenant: FormsTenant
let patient: Patient
beforeAll(async () => {
  ;({ tenant, patient } = await notesTenant())
})

async function submitted(more: object = {}): Promise<string> {
  const id = await patient.created(more)
  expect(await patient.submit(id, whole)).toMatchObject({ status: 200 })
  return id
}

test('what was submitted is extracted, the most recent first, with whom it is of and who submitted it', async () => {
  const before = Date.now()
  const [first, second] = [await submitted(), await submitted({ correlationId: 'visit 7' })]
  const { status, headers, body } = await extract(tenant.forms, {
    definitions: [formAsked('small'), blockAsked('small', { identifier: 'small-block' })],
  })
  expect(status).toBe(200)
  const instant = headers.get('extract-instant') ?? ''
  expect(Date.parse(instant)).toBeGreaterThan(before)
  const values = (value: string) => [{ type: 'single-value', repeatIterationIndex: null, value }]
  const controls = [
    { id: 'note', label: 'Note', dataType: 'string', values: values('a') },
    { id: 'must', label: 'Must', dataType: 'string', values: values('b') },
  ]
  const resultOf = (instanceGuid: string, correlationId: string | null) => ({
    instanceGuid,
    subjectIdentifier: tenant.subjectId,
    submittedByUserIdentifier: expect.any(String),
    submissionDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
    correlationId,
  })
  const heads = [resultOf(second, 'visit 7'), resultOf(first, null)]
  expect(body).toEqual({
    results: [
      {
        identifier: 'small',
        type: 'form',
        results: heads.map(head => ({ ...head, buildingBlocks: [{ key: 'small', controls }] })),
      },
      { identifier: 'small-block', type: 'building-block', results: heads.map(head => ({ ...head, controls })) },
    ],
  })
})

test('what is withdrawn is in no extract until it is reinstated', async () => {
  const id = await submitted({ correlationId: 'withdrawn' })
  const found = async () => (await extractedIds(tenant.forms, { definitions: [formAsked('small')] }))[0]
  expect(await found()).toContain(id)
  await patient.withdraw(id)
  expect(await found()).not.toContain(id)
  await patient.reinstate(id)
  expect(await found()).toContain(id)
})
