// Definitions and results of extracts.
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type ControlResult,
  type ExtractBody,
  type ExtractResult,
  extractPath,
  instanceExtractPath,
  rareForm,
  rareValues,
  saidText,
} from '../support/extracts.js'
import {
  aPicture,
  aTemplate,
  blockAsked,
  type FormsTenant,
  formAsked,
  formsTenant,
  someValues,
} from '../support/factories.js'
import { invalid, refusal } from '../support/frame.js'
import { type Patient, patientOf } from '../support/instances.js'
import { publishedAnswers } from '../support/published-answers.js'

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
let patient: Patient
let published: Awaited<ReturnType<typeof publishedAnswers>>
beforeAll(async () => {
  ;[tenant, other] = await Promise.all([formsTenant(), formsTenant()])
  await tenant.publish(
    aTemplate(),
    rareForm,
    form('notes', 2, [block('shared', 3, 'A note')]),
    form('letters', 1, [block('shared', 3, 'A note'), block('own', 1, 'Another')]),
    form('notes', 3, [block('shared', 4, 'A note to be')], { status: 'Development' }),
  )
  patient = patientOf(tenant)
  published = await publishedAnswers(tenant.forms, tag => tag === 'Extracts')
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
    ['of a building block called as every object is', blockPath('toString', 1)],
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

// Every kind of value as spec forms "Control value types" has it, by each way in which it can be extracted; and every answer
// by its published schema.

interface Definition {
  buildingBlocks: { controls: { id: string; label: string; dataType: string; extractValueType: string }[] }[]
}

const label = (text: string) => `Label of ${text}`
const shownOption = (value: string) => ({ value, displayName: label(value) })
const storyType = 'translatable-text-value'
const one = (type: string, members: object = {}) => [{ type, repeatIterationIndex: null, ...members }]
const single = (value: string) => one('single-value', { value })
const empty = one('empty')

async function submitted(formKey: string, values: string | object, more: object = {}): Promise<string> {
  const guid = await patient.created({ formKey, ...more })
  const body = typeof values === 'string' ? `{"values":${values}}` : { values }
  const reply = await tenant.forms.post(`${patient.at(guid)}/submit`, body)
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  return guid
}

/** What a multi extract of the form shows of an instance; of its blocks and of the instance alone it must be the same. */
async function extracted(guid: string, form: string, blocks: string[]): Promise<ExtractResult> {
  const definitions = [formAsked(form, { identifier: 'form' }), ...blocks.map(key => blockAsked(key))]
  const { forms, subjectId } = tenant
  const { body } = await published.call<ExtractBody>(forms, 'runExtract', 200, 'POST', extractPath, { definitions })
  const [whole, ...ofBlocks] = body.results.map(({ results }) => results.find(each => each.instanceGuid === guid))
  const alone = await published.call(forms, 'extractInstance', 200, 'GET', instanceExtractPath(subjectId, guid))
  expect(alone.body).toEqual(whole)
  const { buildingBlocks = [], ...head } = whole ?? {}
  for (const [n, result] of ofBlocks.entries()) {
    const { key, controls } = buildingBlocks[n] ?? {}
    expect(key).toBe(blocks[n])
    // Without data it is no result.
    const hasData = controls?.some(({ values }) => values.some(({ type }) => type !== 'empty'))
    expect(result).toEqual(hasData ? { ...head, controls } : undefined)
  }
  if (!whole) throw new Error(`The instance ${guid} is not extracted`)
  return whole
}

const controlsIn = ({ buildingBlocks = [] }: ExtractResult): ControlResult[] =>
  buildingBlocks.flatMap(({ controls }) => controls)
const valuesIn = (result: ExtractResult) => Object.fromEntries(controlsIn(result).map(({ id, values }) => [id, values]))

const visited = ['visit', 'wounds']

test('a value of each kind has the members of its type, and what could have no value is not shown', async () => {
  const guid = await submitted('visit', someValues, { correlationId: '__proto__' })
  const result = await extracted(guid, 'visit', visited)
  expect(result).toMatchObject({ instanceGuid: guid, subjectIdentifier: tenant.subjectId, correlationId: '__proto__' })
  const chosen = (value: string, displayName = label(value)) => one('single-selection', { value, displayName })
  const image = expect.stringMatching(/^data:image\/svg\+xml;base64,/)
  const annotations = [{ position: 1, value: 'bruise', x: 25, y: 50 }]
  const story = { sourceLanguageCode: 'en', targetLanguageCode: 'de' }
  const at = (repeatIterationIndex: number, type: string, value?: string) => ({
    type,
    repeatIterationIndex,
    ...(value === undefined ? {} : { value }),
  })
  const foam = { value: 'foam', displayName: 'Label of foam' }
  const gauze = { value: 'gauze', displayName: 'Label of gauze' }
  const shown: [id: string, label: string, dataType: string, values: object[]][][] = [
    [
      ['visited', 'Day of the visit', 'date', single('2026-11-02')],
      ['onset', 'First symptoms', 'date', one('partial-date', { dateKind: 'yyyy-MM', date: '2026-10-01' })],
      ['at', 'Time of day', 'time', single('09:30:00')],
      ['seenAt', 'Seen at', 'datetime', single('2026-11-02T09:30:00.000Z')],
      ['weight', 'Weight', 'decimal', single('71.50')],
      ['beats', 'Pulse', 'integer', single('72')],
      ['consent', 'Consent', 'boolean', single('true')],
      ['consentNote', 'Who consents', 'string', single('The daughter')],
      ['remarks', 'Remarks', 'string', single('Slept well')],
      ['ward', 'Ward', 'string', single('B12')],
      ['symptoms', 'Symptoms', 'string', one('multiple-selection', { selections: ['pain', 'fever'].map(shownOption) })],
      ['mobility', 'Mobility', 'string', chosen('with a stick', 'with a stick')],
      ['place', 'Place', 'geolocation', one('geolocation', { latitude: 48.2, longitude: 16.37 })],
      ['image', 'Where it hurts', 'annotated-image', one('annotated-image', { imageDataUri: image, annotations })],
      ['letter', 'Letter', 'html', single('<p>Dear <b>colleague</b></p>')],
      ['photo', 'Photo', 'data-url', single(aPicture)],
      ['link', 'Link', 'url', single('https://example.org/a?b=c&d=e')],
      ['story', 'Story', storyType, one(storyType, { originalText: 'It began in October.', ...story })],
      ['sleep', 'Sleeps badly', 'integer', chosen('1')],
      ['energy', 'Has little energy', 'integer', chosen('2')],
      ['total', 'Total', 'integer', single('3')],
      ['severity', 'Severity', 'string', single('severe')],
    ],
    [
      ['site', 'Site', 'string', [at(0, 'single-value', 'left heel'), at(1, 'single-value', 'hip')]],
      ['depth', 'Depth', 'decimal', [at(0, 'single-value', '12.5'), at(1, 'empty')]],
      ['deep', 'Why so deep', 'string', [at(0, 'single-value', 'Long untreated')]],
      [
        'material',
        'Material',
        'string',
        [
          { type: 'single-selection', repeatIterationIndex: 0, repeatIterationPath: [0, 0], ...foam },
          { type: 'single-selection', repeatIterationIndex: 1, repeatIterationPath: [0, 1], ...gauze },
        ],
      ],
      [
        'changed',
        'Changed',
        'date',
        [
          { type: 'single-value', repeatIterationIndex: 0, repeatIterationPath: [0, 0], value: '2026-11-01' },
          { type: 'empty', repeatIterationIndex: 1, repeatIterationPath: [0, 1] },
        ],
      ],
    ],
  ]
  const blocks = shown.map((controls, n) => ({
    key: visited[n],
    controls: controls.map(([id, label, dataType, values]) => ({ id, label, dataType, values })),
  }))
  expect(result.buildingBlocks).toEqual(blocks)
})

test('a relevant control without an answer is empty, whatever its data type; an irrelevant one has no values', async () => {
  const guid = await submitted('visit', { visited: '2026-11-02' })
  const { visited: day, ...values } = valuesIn(await extracted(guid, 'visit', visited))
  expect(day).toEqual(single('2026-11-02'))
  const ids = 'onset at seenAt weight beats consent remarks ward symptoms mobility place image letter photo link story'
  const relevant = `${ids} sleep energy total severity`.split(' ').map(id => [id, empty])
  // A note on a consent that nobody has given, and controls of a repeat without iterations.
  const others = ['consentNote', 'site', 'depth', 'deep', 'material', 'changed'].map(id => [id, []])
  expect(values).toEqual(Object.fromEntries([...relevant, ...others]))
})

test('numbers keep their digits, partial dates say how much counts, texts their languages; repeats have index and path', async () => {
  const result = await extracted(await submitted('rare', rareValues), 'rare', ['constructor'])
  expect(result).not.toHaveProperty('correlationId')
  const { pins, ...values } = valuesIn(result)
  const inPath = (path: number[], value: string) => ({
    type: 'single-value',
    repeatIterationIndex: path.at(-1),
    ...(path.length > 1 ? { repeatIterationPath: path } : {}),
    value,
  })
  expect(values).toEqual({
    exact: single('12345678.1234567800'),
    whole: single('123456789012345678'),
    no: single('false'),
    wall: single('2026-11-02T09:30:00'),
    said: single(saidText),
    year: one('partial-date', { dateKind: 'yyyy', date: '2026-01-01' }),
    day: one('partial-date', { dateKind: 'yyyy-MM-dd', date: '2026-02-28' }),
    south: one('geolocation', { latitude: -33.4489, longitude: -70 }),
    told: one(storyType, {
      originalText: 'Ça va',
      translatedText: 'Fine',
      sourceLanguageCode: 'fr-CA',
      targetLanguageCode: 'en',
      translatedDateTime: '2026-11-02T09:00:00.000Z',
    }),
    untold: one(storyType, {
      originalText: 'Ça va',
      sourceLanguageCode: 'fr',
    }),
    dose: one('single-selection', shownOption('0.50')),
    since: one('single-selection', shownOption('2026-01-01')),
    colours: one('multiple-selection', { selections: [shownOption('blue'), { value: 'mauve', displayName: 'mauve' }] }),
    hidden: [],
    houseNo: [inPath([0], '7'), inPath([1], '8')],
    floorNo: [inPath([1, 0], '0')],
    roomNo: [inPath([1, 0, 0], '-1'), inPath([1, 0, 1], '2')],
  })
  const annotations = [
    { position: 1, value: '<b>&', x: 25, y: 50 },
    { position: 2, value: '', x: 100, y: 0 },
  ]
  expect(pins).toEqual(one('annotated-image', { imageDataUri: expect.any(String), annotations }))
})

test('the picture of an annotated image is that of its control with the pins, whatever their texts are', async () => {
  const [value] = valuesIn(await extracted(await submitted('rare', rareValues), 'rare', ['constructor'])).pins ?? []
  const [head, base64 = ''] = String(value?.imageDataUri).split(',')
  expect(head).toBe('data:image/svg+xml;base64')
  const svg = Buffer.from(base64, 'base64').toString()
  expect(svg).toMatch(/^<svg [^>]*viewBox="0 0 1000 500"/)
  expect(svg).toContain(`href="${aPicture}"`)
  // 25 and 50 per cent, 100 and 0 per cent.
  const pins = svg.match(/<g transform="translate\((250 250|1000 0)\)">.*?<\/g>/g)
  expect(pins).toEqual([
    expect.stringMatching(/<title>&#60;b&#62;&#38;<\/title>.*>1<\/text>/),
    expect.stringMatching(/<title><\/title>.*>2<\/text>/),
  ])
})

test('the definitions name the type that the values of each control have', async () => {
  const { forms } = tenant
  const results = [
    await extracted(await submitted('visit', someValues), 'visit', visited),
    await extracted(await submitted('rare', rareValues), 'rare', ['constructor']),
  ]
  for (const [n, key] of ['visit', 'rare'].entries()) {
    const path = `${extractPath}/formdefinition/${key}/1`
    const { body } = await published.call<Definition>(forms, 'getFormExtractDefinition', 200, 'GET', path)
    const shown = results[n] ? controlsIn(results[n]) : []
    const typesOf = (values: ControlResult['values']) => [
      ...new Set(values.map(({ type }) => type).filter(type => type !== 'empty')),
    ]
    // The same controls in the same order. One is not relevant, so that it has no value to compare.
    const described = body.buildingBlocks.flatMap(({ controls }) => controls)
    expect(described.map(({ extractValueType: type, ...each }) => ({ ...each, types: [type] }))).toEqual(
      shown.map(({ values, ...each }) => ({
        ...each,
        types: each.id === 'hidden' ? ['single-value'] : typesOf(values),
      })),
    )
  }
})
