// Faults of the structure of form templates.
import { describe, expect, test } from 'vitest'
import { aPicture, aSmallTemplate, aTemplate } from '../support/factories.js'
import { a, faultsOf, faultsOfControls, options } from '../support/form-faults.js'
import { putForm, type TemplateBody } from '../support/forms.js'
import { manifestOf } from '../support/manifest.js'

const tenant = await manifestOf()
await tenant.put({})

const section = (id: string, more: object = {}) => ({ id, controls: [], ...more })
const blocks = (...buildingBlocks: object[]) => ({ buildingBlocks })
const nested = (depth: number, minIterations = 0): object =>
  depth === 0
    ? { id: 'r0', label: 'R', minIterations, controls: [a('x')] }
    : { id: `r${depth}`, label: 'R', minIterations, repeats: [nested(depth - 1, minIterations)] }

test.each<[string, object, ...string[]]>([
  ['no title', { title: undefined }, 'required /title'],
  ['a title longer than 255', { title: 'x'.repeat(256) }, 'too-long /title'],
  ['another status', { status: 'Draft' }, 'unknown-value /status'],
  ['a language by its name', { language: 'English (UK)' }, 'wrong-format /language'],
  ['a flag that is a text', { allowAmend: 'yes' }, 'wrong-type /allowAmend'],
  ['drafts that save themselves all the time', { autoSaveIntervalSeconds: 0 }, 'out-of-range /autoSaveIntervalSeconds'],
  ['no building block', blocks(), 'too-few /buildingBlocks'],
  ['no section', blocks({ key: 'b', sections: [] }), 'too-few /buildingBlocks/0/sections'],
  [
    'a building block key that is no XML name',
    blocks({ key: '9', sections: [section('s')] }),
    'wrong-format /buildingBlocks/0/key',
  ],
  [
    'a building block twice',
    blocks({ key: 'b', sections: [section('s')] }, { key: 'b', version: 2, sections: [section('s')] }),
    'duplicate-key /buildingBlocks/1/key',
  ],
  [
    'a section id twice',
    blocks({ key: 'b', sections: [section('s'), section('s')] }),
    'duplicate-key /buildingBlocks/0/sections/1/id',
  ],
  [
    'a control id twice, in another building block',
    blocks(
      { key: 'b', sections: [section('s', { controls: [a('x')] })] },
      { key: 'c', sections: [section('s', { controls: [a('y'), a('x')] })] },
    ),
    'duplicate-key /buildingBlocks/1/sections/0/controls/1/id',
  ],
  [
    'repeats five deep',
    blocks({ key: 'b', sections: [section('s', { repeats: [nested(4)] })] }),
    'wrong-format /repeats/0/repeats/0/repeats/0/repeats/0/repeats',
  ],
  [
    'over 2,000 controls',
    blocks({ key: 'b', sections: [section('s', { controls: Array.from({ length: 2_001 }, (_, n) => a(`c${n}`)) })] }),
    'too-many /buildingBlocks',
  ],
  [
    'six million iterations that there must be',
    blocks({ key: 'b', sections: [section('s', { repeats: [nested(3, 50)] })] }),
    'too-many /buildingBlocks',
  ],
  [
    'over 8 MB',
    blocks({
      key: 'b',
      sections: [
        section('s', {
          controls: Array.from({ length: 450 }, (_, n) =>
            a(`c${n}`, { couldHaveValue: false, text: 'x'.repeat(19_000) }),
          ),
        }),
      ],
    }),
    'too-large ',
  ],
  [
    'several at once',
    blocks({
      key: 'b',
      sections: [section('s', { controls: [a('x', { min: 1 }), a('x'), a('y', { relevant: {} })] })],
    }),
    'duplicate-key /controls/1/id',
    'not-for-data-type /controls/0/min',
    'one-of /controls/2/relevant',
  ],
])('%s is refused', async (_, more, ...faults) => {
  expect(await faultsOf(tenant, aTemplate(more))).toEqual(faults.sort())
})

const repeat = (more: object = {}) => ({ id: 'r', label: 'R', controls: [a('x')], ...more })

test.each<[string, object[], ...string[]]>([
  ['a repeat of nothing', [repeat({ controls: [] })], 'required /repeats/0/controls'],
  ['fewer at most than at least', [repeat({ minIterations: 3, maxIterations: 2 })], 'crossed /repeats/0/minIterations'],
  ['fewer than none', [repeat({ minIterations: -1 })], 'out-of-range /repeats/0/minIterations'],
  ['two of one id', [repeat(), repeat({ controls: [a('y')] })], 'duplicate-key /repeats/1/id'],
  ['one of its own control’s id', [repeat({ id: 'x' })], 'duplicate-key /repeats/0/controls/0/id'],
  ['one without a label', [repeat({ label: undefined })], 'required /repeats/0/label'],
])('a repeat: %s is refused', async (_, repeats, ...faults) => {
  expect(await faultsOfControls(tenant, [], repeats)).toEqual(faults)
})

test('four nested repeats and 2,000 controls are accepted', async () => {
  const controls = Array.from({ length: 1_999 }, (_, n) => a(`c${n}`, { options: options('a', 'b') }))
  const { status } = await putForm(
    tenant.platform,
    tenant.tenantKey,
    aTemplate(blocks({ key: 'b', sections: [section('s', { controls, repeats: [nested(3)] })] })),
  )
  expect(status).toBe(201)
})

describe('names in a path of a template', () => {
  test.each<[string, string, string, object, ...string[]]>([
    ['the address of the list', 'AvailableForms', '1', { key: undefined, version: undefined }, 'reserved-key /key'],
    ['it in other letters', 'availableFORMS', '1', { key: undefined }, 'reserved-key /key'],
    ['a key with a dot', 'a.b', '1', { key: undefined }, 'wrong-format /path/formKey'],
    ['a key of 65 characters', 'k'.repeat(65), '1', { key: undefined }, 'wrong-format /path/formKey'],
    ['a key that begins with a line', '-a', '1', { key: undefined }, 'wrong-format /path/formKey'],
    ['a key in markup', '<b>', '1', { key: undefined }, 'wrong-format /path/formKey'],
    ['version 0', 'f', '0', { key: 'f', version: undefined }, 'wrong-format /path/version'],
    ['a version with a fraction', 'f', '1.0', { key: 'f' }, 'wrong-format /path/version'],
    ['a version with a zero before it', 'f', '01', { key: 'f' }, 'wrong-format /path/version'],
    ['a version in words', 'f', 'latest', { key: 'f' }, 'wrong-format /path/version'],
    ['a version beyond all', 'f', '1000000', { key: 'f' }, 'wrong-format /path/version'],
    ['another key in the body', 'f', '1', { key: 'g' }, 'other-key /key'],
    ['the key in other letters in the body', 'f', '1', { key: 'F' }, 'other-key /key'],
    ['another version in the body', 'f', '1', { key: 'f', version: 2 }, 'other-version /version'],
  ])('%s is refused', async (_, key, version, more, ...faults) => {
    const path = `/admin/v1/tenants/${tenant.tenantKey}/forms/${encodeURIComponent(key)}/${version}`
    const { status, body } = await tenant.platform.put<{ errors: { code: string; pointer: string }[] }>(
      path,
      aSmallTemplate([], more),
    )
    expect([status, ...body.errors.map(({ code, pointer }) => `${code} ${pointer}`)]).toEqual([400, ...faults])
    expect(
      (await tenant.platform.get<TemplateBody[]>(`/admin/v1/tenants/${tenant.tenantKey}/forms`)).body.map(
        form => form.key,
      ),
    ).not.toContain(key)
  })
})

test('a probable mistake is a warning', async () => {
  const controls = [
    a('read', { couldHaveValue: false, text: 'T' }),
    a('pins', { dataType: 'annotated-image', image: aPicture }),
    a('chosen', {
      dataType: 'integer',
      options: [
        { value: 1, label: 'Yes' },
        { value: 2, label: 'Yes' },
      ],
    }),
    a('banded', { calculate: { bands: { of: 'chosen', bands: [{ upTo: 1, value: 'low' }] } } }),
  ]
  const warningsOf = async (controls: object[]) =>
    (await putForm(tenant.platform, tenant.tenantKey, aSmallTemplate(controls, { key: 'doubtful' }), '?plan=true')).body
      .warnings
  const at = '/buildingBlocks/0/sections/0/controls'
  const all = await warningsOf(controls)
  expect(all.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
    `not-described ${at}/1/imageDescription`,
    `same-label ${at}/2/options/1/label`,
    `open-end ${at}/3/calculate/bands/bands/0/upTo`,
  ])
  const none = await warningsOf(controls.slice(0, 1))
  expect(none.map(({ code }) => code)).toEqual(['no-values'])
})
