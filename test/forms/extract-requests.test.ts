// Bodies of extract requests.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { extract, extractPath } from '../support/extracts.js'
import { aNote, blockAsked, type FormsTenant, formAsked, formsTenant } from '../support/factories.js'
import { invalid, refusal } from '../support/frame.js'
import { send } from '../support/http.js'

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
const long = 'x'.repeat(256)
const gone = (...errors: string[]) => ({ status: 404, code: 'not-found', errors })

describe('what a body must have', () => {
  test.each([
    ['no definitions', {}, 'required /definitions'],
    ['definitions that are null', { definitions: null }, 'wrong-type /definitions'],
    ['none among them', { definitions: [] }, 'too-few /definitions'],
    ['one that is null', { definitions: [null] }, 'wrong-type /definitions/0'],
    ['one that is a text', { definitions: ['small'] }, 'wrong-type /definitions/0'],
    ['too many', { definitions: Array(1001).fill(form) }, 'too-many /definitions'],
    ['no list of subjects', { definitions: [form], subjectIdentifiers: 'all' }, 'wrong-type /subjectIdentifiers'],
    ['an empty one', { definitions: [form], subjectIdentifiers: [] }, 'too-few /subjectIdentifiers'],
    ['a number in it', { definitions: [form], subjectIdentifiers: ['a', 7] }, 'wrong-type /subjectIdentifiers/1'],
    ['a date alone', { definitions: [form], from: '2026-01-01' }, 'wrong-format /from'],
    ['a day that is none', { definitions: [form], from: '2026-02-30T00:00:00Z' }, 'wrong-format /from'],
    ['a leap second', { definitions: [form], to: '2016-12-31T23:59:60Z' }, 'wrong-format /to'],
    ['words', { definitions: [form], to: 'yesterday' }, 'wrong-format /to'],
    ['a number of ms', { definitions: [form], from: 1767225600000 }, 'wrong-type /from'],
    ['a limit below nothing', { definitions: [form], maxResults: -1 }, 'out-of-range /maxResults'],
    ['a limit beyond all numbers', { definitions: [form], maxResults: 1e300 }, 'out-of-range /maxResults'],
    ['half a result', { definitions: [form], maxResults: 0.5 }, 'wrong-type /maxResults'],
    ['a limit in letters', { definitions: [form], maxResults: '10' }, 'wrong-type /maxResults'],
    ['a member twice', `{"definitions":[${JSON.stringify(form)}],"Definitions":[]}`, 'duplicate-member /Definitions'],
  ])('%s', async (_, body, error) => {
    expect(await refused(body)).toEqual(invalid(error))
  })

  test.each([-1, 1.5, '1'])('the limit of each subject is no %j', async limit => {
    const code = limit === -1 ? 'out-of-range' : 'wrong-type'
    const body = { definitions: [form], maxResultsPerDefinitionPerSubject: limit }
    expect(await refused(body)).toEqual(invalid(`${code} /maxResultsPerDefinitionPerSubject`))
  })

  test('from after to, by however little and in whatever zone', async () => {
    for (const [from, to] of [
      ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'],
      ['2026-01-01T00:00:00.000000002Z', '2026-01-01T00:00:00.000000001Z'],
      ['2026-01-01T00:00:00-01:00', '2026-01-01T00:59:59.999Z'],
      ['9999-12-31T23:59:59-14:00', '2026-01-01T00:00:00'],
    ])
      expect(await refused({ definitions: [form], from, to })).toEqual(invalid('from-after-to /from'))
  })
})

describe('what a definition must have', () => {
  test('all of identifier, type, key and version', async () => {
    expect(await asked({})).toEqual(
      invalid(...['identifier', 'type', 'key', 'version'].map(name => `required /definitions/0/${name}`)),
    )
  })

  test.each([
    ['another type', { type: 'Table' }, 'unknown-value type'],
    ['no text as type', { type: 1 }, 'unknown-value type'],
    ['an empty identifier', { identifier: '' }, 'too-short identifier'],
    ['a long one', { identifier: long }, 'too-long identifier'],
    ['a long key', { key: long }, 'too-long key'],
    ['an empty key', { key: '' }, 'too-short key'],
    ['a version in letters', { version: '1' }, 'wrong-type version'],
    ['version 0', { version: 0 }, 'out-of-range version'],
    ['version 1.5', { version: 1.5 }, 'wrong-type version'],
    ['a version beyond all', { version: 2 ** 32 }, 'out-of-range version'],
    ['no building blocks', { buildingBlocks: [] }, 'too-few buildingBlocks'],
    ['a building block without a key', { buildingBlocks: [{}] }, 'required buildingBlocks/0/key'],
    ['one by its key alone', { buildingBlocks: ['small'] }, 'wrong-type buildingBlocks/0'],
    ['no controls', { buildingBlocks: [{ key: 'small', controlIds: [] }] }, 'too-few buildingBlocks/0/controlIds'],
    ['no text', { buildingBlocks: [{ key: 'small', controlIds: [1] }] }, 'wrong-type buildingBlocks/0/controlIds/0'],
    ['controls of a form', { controlIds: ['note'] }, 'unknown-member controlIds'],
  ])('%s', async (_, more, error) => {
    const [code, at] = error.split(' ')
    expect(await asked(form, formAsked('small', { identifier: 'b', ...more }))).toEqual(
      invalid(`${code} /definitions/1/${at}`),
    )
  })

  test.each([
    ['no controls', { controlIds: [] }, 'too-few controlIds'],
    ['one twice', { controlIds: ['note', 'must', 'note'] }, 'duplicate-control controlIds/2'],
    ['one that is not there', { controlIds: ['note', 'Note'] }, 'unknown-control controlIds/1'],
    ['building blocks', { buildingBlocks: [{ key: 'small' }] }, 'unknown-member buildingBlocks'],
  ])('of a building block: %s', async (_, more, error) => {
    const [code, at] = error.split(' ')
    expect(await asked(blockAsked('small', more))).toEqual(invalid(`${code} /definitions/0/${at}`))
  })

  test('identifiers must be unique, and their letter case counts', async () => {
    const definitions = ['a', 'A', 'a', 'b', 'a'].map(identifier => formAsked('small', { identifier }))
    expect(await asked(...definitions)).toEqual(
      invalid('duplicate-identifier /definitions/2/identifier', 'duplicate-identifier /definitions/4/identifier'),
    )
  })

  test('the fault of an unknown type names the types there are', async () => {
    const { body } = await tenant.forms.post<Problem>(extractPath, { definitions: [{ ...form, type: 'forms' }] })
    expect(body.errors?.map(({ detail }) => detail)).toEqual(['It must be one of form, building-block.'])
  })
})

describe('a body that is not an extract request', () => {
  test.each([
    ['malformed JSON', '{"definitions":[', 400, 'malformed-json'],
    ['nothing', '', 400, 'empty-body'],
    ['half a character', '{"definitions":[{"identifier":"\\ud800"}]}', 400, 'not-unicode'],
    ['a list', '[]', 400, 'validation'],
    ['null', 'null', 400, 'validation'],
    ['a body of more than 32 MB', `{"x":"${'x'.repeat(32 * 1024 * 1024)}"}`, 413, 'body-too-large'],
  ])('%s', async (_, body, status, code) => {
    expect(refusal(await tenant.forms.post(extractPath, body))).toMatchObject({ status, code })
  })

  test('another content type is 415', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/x-ndjson', 'application/json; charset=latin1']) {
      const reply = await tenant.forms.post(extractPath, '{}', { 'content-type': type })
      expect(refusal(reply)).toMatchObject({ status: 415, code: 'content-type' })
    }
    const headers = { authorization: `Bearer ${tenant.forms.token}` }
    const { text: answer } = await send(inject('baseUrl'), extractPath, { method: 'POST', headers, body: ['{}'] })
    expect(JSON.parse(answer)).toMatchObject({ status: 415 })
  })

  test('a request that was refused does not use its Idempotency-Key up', async () => {
    for (const definitions of [[], [formAsked('nowhere')]]) {
      const { status } = await extract(tenant.forms, { definitions }, { 'idempotency-key': 'k' })
      expect(status).toBeGreaterThanOrEqual(400)
    }
  })
})

describe('a definition must exist', () => {
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

  test('each definition that does not exist is named', async () => {
    expect(await asked(formAsked('nowhere'), form, blockAsked('small', { version: 9, identifier: 'b' }))).toEqual(
      gone('not-published /definitions/0/version', 'not-published /definitions/2/version'),
    )
  })

  test('with other faults beside it, the answer is 400 and names all of them', async () => {
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

test('1,000 definitions are looked at in one request, and 500 faults are enough', async () => {
  const definitions = Array.from({ length: 1_000 }, (_, n) =>
    blockAsked('small', { identifier: `${n}`, version: n + 1 }),
  )
  const { status, errors } = await asked(...definitions)
  expect([status, errors.length, ...errors.slice(498)]).toEqual([
    404,
    500,
    'not-published /definitions/499/version',
    'more-faults',
  ])
  const controlIds = Array(2_000).fill('note')
  const wrong = definitions.slice(0, 10).map(each => ({ ...each, version: 1, controlIds }))
  const { body } = await tenant.forms.post<Problem>(extractPath, { definitions: wrong })
  expect([body.status, body.errors?.length]).toEqual([400, 500])
})
