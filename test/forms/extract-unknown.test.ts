import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { blockAsked, extractPath, formAsked } from '../support/extracts.js'
import { type FormsTenant, formsTenant } from '../support/forms.js'
import { invalid, refusal } from '../support/frame.js'
import { aNote } from '../support/instances.js'

const block = (key: string, ...controls: object[]) => ({ key, sections: [{ id: `of-${key}`, controls }] })
const text = (id: string) => ({ id, label: 'Read this', couldHaveValue: false, text: 'First.' })

let tenant: FormsTenant
beforeAll(async () => {
  tenant = await formsTenant()
  const other = await formsTenant()
  await tenant.publish(
    aNote(),
    aNote({
      key: 'pair',
      buildingBlocks: [block('one', text('preamble'), { id: 'a', label: 'A' }), block('two', text('preface'))],
    }),
    aNote({ key: 'early', status: 'Development', buildingBlocks: [block('unborn')] }),
  )
  await other.publish(aNote({ key: 'theirs', buildingBlocks: [block('their-block', { id: 'x', label: 'X' })] }))
})

/** No request of this file is accepted. */
afterAll(async () => {
  const { body } = await tenant.forms.get<{ PageInfo: { TotalCount: number } }>('/api/v1/jobs')
  expect(body.PageInfo.TotalCount).toBe(0)
})

const refused = async (body: unknown) => refusal(await tenant.forms.post(extractPath, body))
const asked = (...definitions: object[]) => refused({ definitions })
const form = formAsked('small')
const gone = (...errors: string[]) => ({ status: 404, code: 'not-found', errors })

describe('what is named must be there', () => {
  test.each([
    ['a form', formAsked('nowhere')],
    ['a version', formAsked('small', { version: 2 })],
    ['a form in development', formAsked('early')],
    ["another tenant's form", formAsked('theirs')],
    ['a form in other letters', formAsked('Small')],
    ['a form with a blank behind it', formAsked('small ')],
    ['a building block', blockAsked('nowhere')],
    ['a version of a building block', blockAsked('small', { version: 2 })],
    ['a building block of a form in development', blockAsked('unborn')],
    ["another tenant's building block", blockAsked('their-block')],
    ['a building block with a blank behind it', blockAsked('small ')],
    ['a form as a building block', blockAsked('pair')],
    ['a building block as a form', formAsked('two')],
  ])('%s: 404', async (_, definition) => {
    expect(await asked(definition)).toEqual(gone('not-published /definitions/0/version'))
  })

  test('of several, each is named', async () => {
    expect(await asked(formAsked('nowhere'), form, blockAsked('small', { version: 9, identifier: 'b' }))).toEqual(
      gone('not-published /definitions/0/version', 'not-published /definitions/2/version'),
    )
  })

  test('where something else is wrong besides: 400, with all of it', async () => {
    const wrong = formAsked('pair', { identifier: 'b', buildingBlocks: [{ key: 'small' }] })
    expect(await asked(formAsked('nowhere'), wrong)).toEqual(
      invalid('not-published /definitions/0/version', 'unknown-building-block /definitions/1/buildingBlocks/0/key'),
    )
  })

  test('building blocks of a form and controls of each: 400', async () => {
    const buildingBlocks = [
      { key: 'one', controlIds: ['a', 'b', 'preamble', 'a'] },
      { key: 'small' },
      { key: 'two', controlIds: ['preface'] },
      { key: 'one' },
    ]
    expect(await asked(formAsked('pair', { buildingBlocks }))).toEqual(
      invalid(
        'unknown-control /definitions/0/buildingBlocks/0/controlIds/1',
        'unknown-control /definitions/0/buildingBlocks/0/controlIds/2',
        'duplicate-control /definitions/0/buildingBlocks/0/controlIds/3',
        'unknown-building-block /definitions/0/buildingBlocks/1/key',
        'unknown-control /definitions/0/buildingBlocks/2/controlIds/0',
        'duplicate-building-block /definitions/0/buildingBlocks/3/key',
      ),
    )
  })
})

test('a body with faults of every sort is answered with all of them', async () => {
  const body = {
    from: '2026-01-02T00:00:00Z',
    to: '2026-01-01T00:00:00Z',
    maxResults: -1,
    subjectIdentifiers: ['a', 7],
    definitions: [
      formAsked('small', { identifier: 'same', buildingBlocks: [{ key: 7 }, { key: 'lost', controlIds: [] }] }),
      null,
      blockAsked('small', { identifier: 'same', controlIds: ['lost', 7, 'note', 'note'] }),
      { type: 'form', key: 'nowhere', version: 1 },
      { identifier: 'same', type: 'form', key: 'nowhere', version: 0, controlIds: ['a'] },
    ],
  }
  expect((await refused(body)).errors.sort()).toEqual(
    [
      'from-after-to /from',
      'out-of-range /maxResults',
      'wrong-type /subjectIdentifiers/1',
      'wrong-type /definitions/0/buildingBlocks/0/key',
      'unknown-building-block /definitions/0/buildingBlocks/1/key',
      'too-few /definitions/0/buildingBlocks/1/controlIds',
      'wrong-type /definitions/1',
      'duplicate-identifier /definitions/2/identifier',
      'unknown-control /definitions/2/controlIds/0',
      'wrong-type /definitions/2/controlIds/1',
      'duplicate-control /definitions/2/controlIds/3',
      'required /definitions/3/identifier',
      'not-published /definitions/3/version',
      'duplicate-identifier /definitions/4/identifier',
      'out-of-range /definitions/4/version',
      'unknown-member /definitions/4/controlIds',
    ].sort(),
  )
})

test('1,000 definitions are looked at in one request, and 10,000 faults are enough', async () => {
  const definitions = Array.from({ length: 1_000 }, (_, n) =>
    blockAsked('small', { identifier: `${n}`, version: n + 1 }),
  )
  const { status, errors } = await asked(...definitions)
  expect([status, errors.length, errors[998]]).toEqual([404, 999, 'not-published /definitions/999/version'])
  const controlIds = Array(2_000).fill('note')
  const wrong = definitions.slice(0, 10).map(each => ({ ...each, version: 1, controlIds }))
  const { body } = await tenant.forms.post<Problem>(extractPath, { definitions: wrong })
  expect([body.status, body.errors?.length]).toEqual([400, 10_000])
})
