// Provider answers to refreshes.
import { afterAll, describe, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { points, refreshed, refreshPath, rowsPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { rawAnswer } from '../support/endpoints.js'
import { dataTenant, point } from '../support/factories.js'
import { ended } from '../support/faults.js'

const provider = await scriptedProvider()
const old = [point('old', 'ada')]
const tenant = await dataTenant(scriptedGlue(provider.url, { provider: { maxAnswerMb: 4 } }), ['ada', 'bob'])
provider.says(() => ({ dataPoints: old }))
await refreshed(tenant)
afterAll(() => provider.stop())

/** Says one sound page, and then this. */
const second = (page: object | string) =>
  provider.says(({ cursor }) => (cursor ? page : { dataPoints: [point('new', 'ada')], next: '2' }))
const item = (DataType: string, value: unknown) => ({
  dataPoints: [point('a', 'ada'), point('b', 'ada', value, DataType)],
})

/** The refresh fails as its job does, and what was there is readable. */
async function failure() {
  const { status, body, headers } = await tenant.post<Problem>(refreshPath())
  const job = await ended(tenant, headers.get('location')?.split('/').at(-1) ?? '')
  expect(job).toMatchObject({ kind: 'dataSetRefresh', status: 'Failed', problem: { status, detail: body.detail } })
  expect(await points(tenant)).toEqual(old)
  return {
    status,
    type: body.type,
    detail: body.detail,
    errors: body.errors?.map(({ pointer, code }) => `${code} ${pointer}`),
  }
}

// Every other fault of a page: test/glue/data-points.unit.test.ts.
test.each<[string, object | string, string[]]>([
  ['the cursor it was asked with', { dataPoints: [], next: '2' }, ['repeated-cursor /next']],
  ['a wrong Boolean', item('Boolean', 'true'), ['wrong-data-type /dataPoints/1/DataPointItems/0/Value/Value']],
])('a second page with %s is named with its row, and the old data stays', async (_, page, errors) => {
  second(page)
  const found = await failure()
  expect(found).toMatchObject({ status: 502, type: '/problems/provider-answer', errors })
  expect(found.detail).toContain('(page 2)')
})

test('values of each type, of an unknown type and absent ones are kept as they are', async () => {
  const values: [string, unknown][] = [
    ['Boolean', false],
    ['String', ''],
    ['Integer', -3],
    ['Decimal', 1.25],
    ['DateTime', '2026-11-21T10:00:00Z'],
    ['Date', '2024-02-29'],
    ['Time', '23:59:59'],
    ['UserIdentifier', 'somebody'],
    ['Geo', { lat: 1, deep: [null] }],
    ['Integer', null],
  ]
  const all = values.map(([type, value], n) => point(`v${n}`, 'ada', value, type))
  provider.says(() => ({ dataPoints: all }))
  await refreshed(tenant)
  expect(await points(tenant)).toEqual(all)
  provider.says(() => ({ dataPoints: old }))
  await refreshed(tenant)
})

test.each([401, 403, 404])(
  'a provider that answers %i fails the refresh at once, and the problem names the page',
  async status => {
    second({ status })
    const asked = provider.questions.length
    const found = await failure()
    expect(found).toMatchObject({ status: 502, type: '/problems/provider-failed' })
    expect(found.detail).toMatch(
      new RegExp(`answered ${status} \\(page 2\\)\\. What was known before stays readable\\.$`),
    )
    expect(provider.questions.length - asked).toBe(2)
  },
)

test('a provider that answers 500 for longer than it may fails the refresh; the next refresh works', async () => {
  second({ status: 500 })
  const found = await failure()
  expect(found).toMatchObject({
    status: 502,
    type: '/problems/provider-failed',
    detail: expect.stringMatching(
      /^The step 'ask' failed: The provider 'register' answered 500 \(page 2\)\. It was attempt 1 with 4 calls, after \d\.\d of 0 s\. What/,
    ),
  })
})

test('an answer that is not JSON fails the refresh, and the problem names the page', async () => {
  second('{"dataPoints": [')
  const found = await failure()
  expect(found).toMatchObject({ status: 502, type: '/problems/provider-failed' })
  expect(found.detail).toContain('answered 200 with a body that is not valid JSON (page 2)')
})

describe('an answer of 200 without rows fails the refresh, the problem names page and member, and the old rows stay', () => {
  const noRows = (pointer: string, code: string, why: string) => ({
    type: '/problems/provider-answer-no-rows',
    errors: [`${code} ${pointer}`],
    detail: expect.stringMatching(new RegExp(`^The step 'answer' failed: .*${why} \\(page [12]\\)\\. What was known`)),
  })
  const noJson = (why: string) => ({
    type: '/problems/provider-failed',
    detail: expect.stringMatching(new RegExp(`^The step 'ask' failed: .* 200 with ${why} \\(page [12]\\)\\. What was`)),
  })
  const nothing = noRows(
    '/steps/ask/body/dataPoints',
    'required',
    "at steps.ask.body.dataPoints: no member 'dataPoints'",
  )

  test.each<[string, object | string, object]>([
    ['a maintenance page', '<p>Maintenance</p>', noJson('a body that is not valid JSON')],
    ['an error', { error: 'database away' }, nothing],
    ['an empty object', {}, nothing],
    ['null', 'null', nothing],
    ['a list of errors', [{ error: 'away' }], nothing],
    ['no rows but null', { dataPoints: null }, noRows('/steps/ask/body/dataPoints', 'wrong-type', 'is no list')],
    ['nothing at all', { status: 200, body: '' }, noJson('an empty body instead of JSON')],
    ['half of its JSON', '{"dataPoints": [{"Id": "a"', noJson('a body that is not valid JSON')],
  ])('%s', async (_, answer, expected) => {
    provider.says(() => answer)
    expect(await failure()).toMatchObject({ status: 502, ...expected })
    second(answer)
    expect(await failure()).toMatchObject({ status: 502, ...expected })
  })

  test('a row that its expression drops', async () => {
    const [glue, step] = [scriptedGlue(provider.url), { rows: 'steps.ask.body.items', row: '$[kept]' }]
    const { steps = [], ...endpoint } = glue.endpoints[0] ?? {}
    const endpoints = [{ ...endpoint, steps: [...steps.slice(0, 1), { name: 'answer', respond: step }] }]
    const dropping = await dataTenant({ ...glue, endpoints }, ['ada'])
    provider.says(() => ({ items: [{ kept: true, ...point('a', 'ada') }, point('b', 'ada')] }))
    const { body } = await dropping.post<Problem>(refreshPath())
    expect(body).toMatchObject({
      type: '/problems/provider-answer-no-rows',
      errors: [{ pointer: '/steps/ask/body/items', detail: expect.stringContaining('makes 1 data points of 2 rows') }],
    })
  })
})

test('JSON is read as JSON, whatever its content type says', async () => {
  provider.says(() => ` {"dataPoints":${JSON.stringify(old)}}`)
  await refreshed(tenant)
  expect(await points(tenant)).toEqual(old)
})

test('reading stops at an answer that is too long, and the refresh fails', async () => {
  let sent = 0
  const megabyte = 'x'.repeat(1024 * 1024)
  provider.says(() => {
    sent++
    return { dataPoints: [], padding: megabyte.repeat(5) }
  })
  expect(await failure()).toMatchObject({ status: 502, type: '/problems/provider-failed' })
  expect(sent).toBe(1)
})

test('an answer that is not UTF-8 fails the refresh, and the problem names step and page', async () => {
  second(Buffer.from('{"dataPoints": [], "name": "Zo\xeb"}', 'latin1'))
  const found = await failure()
  expect(found).toMatchObject({ status: 502, type: '/problems/provider-answer-no-text' })
  expect(found.detail).toMatch(
    /^The step 'ask' failed: .+ charset utf-8\. .+ \(page 2\)\. What was known before stays readable\.$/,
  )
})

test.each([
  ['at a provider without limits', {}],
  ['at one with limits, where each page is an activity of its own', { limits: { concurrency: 4 } }],
])('cursors that go a, b, a, b fail the refresh, %s', async (_, limits) => {
  const around = await dataTenant(scriptedGlue(provider.url, { provider: limits }), ['ada'])
  provider.says(({ cursor }) => ({ dataPoints: [point(`after ${cursor}`, 'ada')], next: cursor === 'a' ? 'b' : 'a' }))
  const asked = provider.questions.length
  const { status, body } = await around.post<Problem>(refreshPath())
  expect(status).toBe(502)
  expect(body).toMatchObject({
    type: '/problems/provider-answer',
    errors: [{ pointer: '/next', code: 'repeated-cursor' }],
  })
  expect(provider.questions.length - asked).toBeLessThan(6)
})

test('rows of unknown subjects are left out and counted', async () => {
  provider.says(({ cursor }) =>
    cursor
      ? { dataPoints: [point('c', 'nobody'), point('d', 'bob')], next: null }
      : { dataPoints: [point('a', 'ada'), point('b', 'stranger')], next: 2 },
  )
  expect(await tenant.post(refreshPath())).toMatchObject({ status: 200, body: { unknownSubjects: 2 } })
  expect(await points(tenant)).toEqual([point('a', 'ada'), point('d', 'bob')])
})

describe('two rows of a subject with one Id', () => {
  const twice = point('twice', 'ada', 'first')
  const other = point('twice', 'ada', 'second')

  test.each([
    ['on one page', [twice, other], []],
    ['on two pages', [twice, point('d', 'bob')], [point('e', 'bob'), other]],
    ['by two names of the subject', [twice], () => [{ ...twice, SubjectIdentifier: tenant.subjects.ada?.id }]],
  ])('fail the refresh %s, and the problem names the Id and the data set', async (_, first, later) => {
    provider.says(() => ({ dataPoints: old }))
    await refreshed(tenant)
    const last = typeof later === 'function' ? later() : later
    provider.says(({ cursor }) => (cursor ? { dataPoints: last } : { dataPoints: first, next: 2 }))
    const found = await failure()
    expect(found).toMatchObject({ status: 502, type: '/problems/duplicate-row', errors: ['duplicate-key /dataPoints'] })
    expect(found.detail).toMatch(/^The data set 'register' .+ with the Id 'twice'\. .+ Refresh it again once/)
    expect(JSON.stringify(found)).not.toMatch(/\bada\b|first|second/)
  })

  test('are one row if they are equal', async () => {
    provider.says(({ cursor }) =>
      cursor ? { dataPoints: [point('f', 'ada'), twice] } : { dataPoints: [twice, point('d', 'bob'), twice], next: 2 },
    )
    await refreshed(tenant)
    expect(await points(tenant)).toEqual([point('d', 'bob'), point('f', 'ada'), twice])
  })

  test('are two rows if they are of two subjects', async () => {
    const ofBob = point('twice', 'bob')
    provider.says(() => ({ dataPoints: [twice, ofBob] }))
    await refreshed(tenant)
    expect(await points(tenant)).toEqual(expect.arrayContaining([twice, ofBob]))
  })
})

test('ids and values keep the digits that no double has', async () => {
  const rows = ['9007199254740992', '9007199254740993'].map(
    id =>
      `{"Id":${id},"SubjectIdentifier":"ada","DataPointItems":[{"Key":"n","Value":{"DataType":"Integer","Value":${id}}},` +
      '{"Key":"w","Value":{"DataType":"Decimal","Value":72.66666666666666666667}}]}',
  )
  provider.says(() => `\ufeff{"dataPoints":[${rows}]}`)
  await refreshed(tenant)
  const { body } = await rawAnswer(rowsPath(), tenant.token)
  const kept = rows.map(row => row.replace(/("Id":)(\d+),/, `$1"$2","SubjectId":"${tenant.subjects.ada?.id}",`))
  for (const row of kept) expect(body).toContain(`"Node":${row}`)
  expect(JSON.parse(body)).toMatchObject({ PageInfo: { TotalCount: 2 } })
})

test('values keep the digits that their provider has written, and ids that are numbers are those numbers', async () => {
  const written = ['77.50', '1.0', '-0', '0.10', '1e2', '1.50']
  const rows = written.map(
    (value, n) =>
      `{"Id":${n}.0,"SubjectIdentifier":"ada","DataPointItems":[{"Key":"w","Value":{"DataType":"Decimal","Value":${value}}}]}`,
  )
  provider.says(() => `{"dataPoints":[${rows}]}`)
  await refreshed(tenant)
  const { body } = await rawAnswer(rowsPath(), tenant.token)
  expect([...body.matchAll(/"Value":([^{}]+)}/g)].map(([, value]) => value)).toEqual(
    written.map(value => (value === '1e2' ? '100' : value)),
  )
  expect([...body.matchAll(/"Id":("[^"]*")/g)].map(([, id]) => id)).toEqual(written.map((_, n) => `"${n}"`))

  const integers = item('Integer', 3)
  provider.says(() => JSON.stringify(integers).replace('"Value":3', '"Value":3.0'))
  await refreshed(tenant)
  expect((await rawAnswer(rowsPath(), tenant.token)).body).toContain('"Value":3.0')
})

test('names of members may be in any letter case, and ids numbers', async () => {
  const row = {
    id: 7,
    subjectidentifier: 'ada',
    datapointitems: [{ key: 'value', value: { datatype: 'Integer', value: 1 } }],
  }
  provider.says(() => ({ dataPoints: [row], next: '' }))
  await refreshed(tenant)
  expect(await points(tenant)).toEqual([point('7', 'ada', 1, 'Integer')])
})

test('a provider that has nothing leaves an empty data set', async () => {
  provider.says(() => ({ dataPoints: [] }))
  expect(await tenant.post(refreshPath())).toMatchObject({ status: 200, body: { rows: 0, unknownSubjects: 0 } })
  expect(await points(tenant)).toEqual([])
})
