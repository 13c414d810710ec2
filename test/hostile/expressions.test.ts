// Hostile expressions and templates.
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import type { Problem, Reply } from '../support/api.js'
import { type EndpointTenant, glueTenant } from '../support/factories.js'
import { sharedStack } from '../support/running-stack.js'
import { hostileExpressions } from './expressions.js'
import { hostileTemplates, largeList } from './templates.js'
import { longestMs, minWatched } from './watched.js'

const { api } = sharedStack()
/** What each of them is answered with: it may be too slow before it needs too much memory. */
const problems = new Map<string, (endpoint: string) => object>([
  [
    '/problems/endpoint-failed',
    () => ({ detail: "The step 'hostile' cannot be carried out. Please report the trace id." }),
  ],
  [
    '/problems/evaluation-ended',
    (endpoint: string) => ({
      detail: expect.stringMatching(
        /^The step 'hostile' was ended: a text of it (takes too long|needs too much memory) with these values\. It is not tried again\.$/,
      ),
      errors: [{ pointer: `/glue/endpoints/${endpoint.slice(1)}/steps/0/transform/expression` }],
    }),
  ],
])
/** One for each end of an expression. Every one of them is evaluated in every-expression.test.ts. */
const ends = new Set(['many widths', 'many items', 'a long list', 'deep recursion', 'a nested pattern'])
const expressions = hostileExpressions.filter(({ name }) => ends.has(name))
/** A list’s filter, a text cut in pieces, a loop. Every template is rendered in every-template.test.ts. */
const templates = hostileTemplates.filter(text => /where_exp|split|1000000/.test(text))
/** A template that takes more memory than any may. */
const tooLarge = '{% for n in (1..100000000) %}{{ n }}{% endfor %}'
const guarded = {
  key: 'guarded',
  url: 'https://registry.example.org/',
  authentication: {
    tokenUrl: 'https://registry.example.org/token',
    clientId: tooLarge,
    clientSecret: '{{ variables.secret }}',
  },
}
const calling = { key: 'calling', steps: [{ name: 'hostile', httpRequest: { provider: 'guarded', url: 'x' } }] }

const traceIds: string[] = []
let tenant: EndpointTenant
let pid: number | undefined

beforeAll(async () => {
  const endpoints = expressions.map(({ expression }, n) => ({
    key: `e${n}`,
    steps: [{ name: 'hostile', transform: { expression } }],
  }))
  tenant = await glueTenant({
    secrets: [{ name: 'secret', value: 'x', hosts: ['registry.example.org'] }],
    providers: [guarded],
    endpoints: [...endpoints, calling],
  })
  pid = api.pid
})

test.each(expressions.map(({ name, body, why }, n) => [name, `e${n}`, body, why] as const))(
  '%s in an expression ends the step, not the process, and holds up nobody',
  async (_, endpoint, body, why) => {
    const answers: Reply<Problem>[] = []
    const ms = await minWatched(async () => answers.push(await tenant.call<Problem>(endpoint, body)))
    expect(ms).toBeLessThanOrEqual(longestMs)
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 500, body: problems.get(answer.body.type)?.(endpoint) ?? {} })
      expect([...problems.keys()]).toContain(answer.body.type)
      if (why === 'it takes too long') expect(answer.body.errors).toMatchObject([{ code: 'too-slow' }])
      traceIds.push(answer.body.traceId ?? '')
    }
    expect(api.pid).toBe(pid)
  },
)

test('credentials of a provider that take too much memory are named by their place in the manifest', async () => {
  const answer = await tenant.call<Problem>('calling')
  const pointer = '/glue/providers/0/authentication/clientId'
  expect(answer).toMatchObject({
    status: 500,
    body: { type: '/problems/evaluation-ended', errors: [{ pointer, code: 'too-much-memory' }] },
  })
  traceIds.push(answer.body.traceId ?? '')
})

test('no hostile expression was evaluated again', async () => {
  const attempts = async () => {
    const lines = (await readFile(api.logFile, 'utf8'))
      .split('\n')
      .filter(line => line.includes('the steps of an endpoint failed'))
    return traceIds.map(traceId => lines.filter(line => line.includes(traceId)).length)
  }
  await expect.poll(attempts).toEqual(traceIds.map(() => 1))
})

test('a template over a large list holds up nobody', async () => {
  const steps = templates.map(body => [{ name: 'hostile', respond: { body } }])
  const { call } = await glueTenant({ endpoints: steps.map((each, n) => ({ key: `t${n}`, steps: each })) })
  const slow: string[] = []
  for (const [n, template] of templates.entries()) {
    const ms = await minWatched(() => call(`t${n}`, largeList))
    if (ms > longestMs) slow.push(`${template}: ${ms} ms`)
  }
  expect(slow).toEqual([])
})
