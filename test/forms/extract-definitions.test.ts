import { beforeAll, describe, expect, test } from 'vitest'
import { extractPath } from '../support/extracts.js'
import { aTemplate, type FormsTenant, formsTenant } from '../support/forms.js'
import { invalid, refusal } from '../support/frame.js'

const formPath = (key: string, version: number | string) => `${extractPath}/formdefinition/${key}/${version}`
const blockPath = (key: string, version: number | string) => `${extractPath}/buildingblockdefinition/${key}/${version}`

const block = (key: string, version: number, label: string) => ({
  key,
  version,
  sections: [{ id: 'only', controls: [{ id: `${key}Note`, label }] }],
})
const form = (key: string, version: number, buildingBlocks: object[], more: object = {}) =>
  aTemplate({ key, version, buildingBlocks, ...more })

let tenant: FormsTenant
let other: FormsTenant
beforeAll(async () => {
  ;[tenant, other] = await Promise.all([formsTenant(), formsTenant()])
  await tenant.publish(
    aTemplate(),
    form('notes', 2, [block('shared', 3, 'A note')]),
    form('letters', 1, [block('shared', 3, 'A note'), block('own', 1, 'Another')]),
    form('notes', 3, [block('shared', 4, 'A note to be')], { status: 'Development' }),
  )
})

test('the definition of a form has its controls with a value type each; what could have no value is not in it', async () => {
  const { status, body } = await tenant.forms.get(formPath('visit', 1))
  const controls = (...all: [id: string, label: string, dataType: string, extractValueType: string][]) =>
    all.map(([id, label, dataType, extractValueType]) => ({ id, label, dataType, extractValueType }))
  const visit = {
    key: 'visit',
    version: 1,
    controls: controls(
      ['visited', 'Day of the visit', 'date', 'single-value'],
      ['onset', 'First symptoms', 'date', 'partial-date'],
      ['at', 'Time of day', 'time', 'single-value'],
      ['seenAt', 'Seen at', 'datetime', 'single-value'],
      ['weight', 'Weight', 'decimal', 'single-value'],
      ['beats', 'Pulse', 'integer', 'single-value'],
      ['consent', 'Consent', 'boolean', 'single-value'],
      ['consentNote', 'Who consents', 'string', 'single-value'],
      ['remarks', 'Remarks', 'string', 'single-value'],
      ['ward', 'Ward', 'string', 'single-value'],
      ['symptoms', 'Symptoms', 'string', 'multiple-selection'],
      ['mobility', 'Mobility', 'string', 'single-selection'],
      ['place', 'Place', 'geolocation', 'geolocation'],
      ['image', 'Where it hurts', 'annotated-image', 'annotated-image'],
      ['letter', 'Letter', 'html', 'single-value'],
      ['photo', 'Photo', 'data-url', 'single-value'],
      ['link', 'Link', 'url', 'single-value'],
      ['story', 'Story', 'translatable-text-value', 'translatable-text-value'],
      ['sleep', 'Sleeps badly', 'integer', 'single-selection'],
      ['energy', 'Has little energy', 'integer', 'single-selection'],
      ['total', 'Total', 'integer', 'single-value'],
      ['severity', 'Severity', 'string', 'single-value'],
    ),
  }
  // Those of a repeat, and of the one in it.
  const wounds = {
    key: 'wounds',
    version: 1,
    controls: controls(
      ['site', 'Site', 'string', 'single-value'],
      ['depth', 'Depth', 'decimal', 'single-value'],
      ['deep', 'Why so deep', 'string', 'single-value'],
      ['material', 'Material', 'string', 'single-selection'],
      ['changed', 'Changed', 'date', 'single-value'],
    ),
  }
  expect([status, body]).toEqual([200, { key: 'visit', version: 1, buildingBlocks: [visit, wounds] }])
  for (const each of [visit, wounds]) expect((await tenant.forms.get(blockPath(each.key, 1))).body).toEqual(each)
})

test('the definition of a building block is that of its own version, whichever forms it is part of', async () => {
  const { status, body } = await tenant.forms.get(blockPath('shared', 3))
  const note = { id: 'sharedNote', label: 'A note', dataType: 'string', extractValueType: 'single-value' }
  const shared = { key: 'shared', version: 3, controls: [note] }
  expect([status, body]).toEqual([200, shared])
  expect((await tenant.forms.get(formPath('notes', 2))).body).toEqual({
    key: 'notes',
    version: 2,
    buildingBlocks: [shared],
  })
  const own = { ...shared, key: 'own', version: 1, controls: [{ ...note, id: 'ownNote', label: 'Another' }] }
  expect((await tenant.forms.get(formPath('letters', 1))).body).toMatchObject({ buildingBlocks: [shared, own] })
})

describe('a definition is 404', () => {
  const gone = { status: 404, code: 'not-found', errors: [] }
  test.each([
    ['of an unknown form', formPath('unknown', 1)],
    ['of an unknown version of a form', formPath('notes', 1)],
    ['of a form in development', formPath('notes', 3)],
    ['of a form in another letter case', formPath('Notes', 2)],
    ['of a version that no form can have', formPath('notes', '4294967298')],
    ['of a building block under the key of a form', blockPath('notes', 2)],
    ['of an unknown version of a building block', blockPath('shared', 1)],
    ['of a building block that is only in development', blockPath('shared', 4)],
    ['of a building block in another letter case', blockPath('Shared', 3)],
    ['of a building block with a blank more', blockPath('shared%20', 3)],
    ['of a building block called as every object is', blockPath('constructor', 1)],
  ])('%s', async (_, path) => expect(refusal(await tenant.forms.get(path))).toEqual(gone))

  test("where it is another tenant's", async () => {
    for (const path of [formPath('notes', 2), blockPath('shared', 3)])
      expect(refusal(await other.forms.get(path))).toEqual(gone)
  })
})

test.each(['0', '-1', '1.0', '01', 'latest', '0x1', '99999999999'])('a version %s is 400', async version => {
  const wrong = async (path: string) => refusal(await tenant.forms.get(path))
  expect(await wrong(formPath('notes', version))).toEqual(invalid('wrong-type /path/formVersion'))
  expect(await wrong(blockPath('shared', version))).toEqual(invalid('wrong-type /path/version'))
})

test('a definition has no parameters besides', async () => {
  for (const path of [formPath('notes', 2), blockPath('shared', 3)])
    expect(refusal(await tenant.forms.get(`${path}?version=1`))).toEqual(invalid('unknown-parameter /query/version'))
})
