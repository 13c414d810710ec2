// The pages that the `type` of a problem leads to.
import { expect, inject, test } from 'vitest'
import { faultGroups } from '../../runtime/problems/fault-codes.js'
import { problemKinds } from '../../runtime/problems/problem-codes.js'
import { api } from '../support/api.js'
import { policyOf, send } from '../support/http.js'

const baseUrl = inject('baseUrl')
const asJson = async (path: string) =>
  JSON.parse((await send(baseUrl, path, { headers: { accept: 'application/json' } })).text)
const faults = Object.values(faultGroups).flatMap(group => Object.entries(group))
const codes = [...new Set([...Object.keys(problemKinds), ...faults.map(([code]) => code)])]

test("a refusal's type leads a stranger to a page that says what it means and what to do", async () => {
  const { type } = (await api(baseUrl, '').get<{ type: string }>('/api/v1/group')).body
  const answer = await fetch(new URL(type, `${baseUrl}/api/v1/group`), { headers: { accept: 'text/html' } })
  const page = await answer.text()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const { title, meaning, next } = problemKinds.unauthenticated
  for (const text of [title, meaning, next]) expect(page).toContain(text)
  expect(policyOf(answer.headers.get('content-security-policy'))).toEqual({
    'default-src': "'none'",
    'style-src': "'unsafe-inline'",
    'frame-ancestors': "'none'",
  })
})

test('every code of a problem or fault has a page', async () => {
  for (const code of codes) {
    const { status, text } = await send(baseUrl, `/problems/${code}`)
    expect([code, status, text.includes(`<h1><code>${code}</code></h1>`)]).toEqual([code, 200, true])
  }
})

test('code in a text is shown as code', async () => {
  const { text } = await send(baseUrl, '/problems/to')
  expect(text).toContain('Name a page below <code>/forms/{tenantKey}/</code>.')
})

test('a program gets the rows of the tables as JSON', async () => {
  const { validation } = problemKinds
  expect(await asJson('/problems/validation')).toEqual({ code: 'validation', problem: validation })
  const [meaning, next] = ['A member that must be there is missing.', 'Add it.']
  expect(await asJson('/problems/required')).toEqual({ code: 'required', fault: { meaning, next } })
  const both = await asJson('/problems/too-deep')
  expect(both).toMatchObject({ problem: problemKinds['too-deep'], fault: { meaning: expect.any(String) } })
})

test('caches distinguish a page from its JSON, and a browser that has one gets 304', async () => {
  const headers = { accept: 'application/json' }
  const [page, json] = [await send(baseUrl, '/problems/busy'), await send(baseUrl, '/problems/busy', { headers })]
  expect(page.headers.vary).toContain('Accept')
  expect(json.headers.etag).not.toBe(page.headers.etag)
  const again = await send(baseUrl, '/problems/busy', { headers: { 'if-none-match': String(page.headers.etag) } })
  expect([again.status, again.text]).toEqual([304, ''])
})

test.each(['nothing', '__proto__', 'constructor', 'validation/', 'Validation', ''])(
  'the code %j has no page',
  async code => {
    const { status, text } = await send(baseUrl, `/problems/${code}`)
    expect([status, JSON.parse(text).type]).toEqual([404, '/problems/no-such-path'])
  },
)
