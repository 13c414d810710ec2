// Slow endpoints of one tenant beside others.
import { afterAll, expect, test } from 'vitest'
import type { Problem, Reply } from '../support/api.js'
import { recordingProvider } from '../support/endpoints.js'
import { oneEndpoint } from '../support/factories.js'
import { until } from '../support/until.js'

let letGo = () => {}
const held = new Promise<void>(resolve => {
  letGo = resolve
})
const slow = await recordingProvider(async () => {
  await held
  return {}
})
const quick = await recordingProvider()
afterAll(() => Promise.all([slow.stop(), quick.stop()]))

const call = [
  { name: 'call', httpRequest: { provider: 'p', url: 'x' } },
  { name: 'r', respond: { expression: 'steps.call.body' } },
]

test('150 calls of an endpoint that is never answered: some are 429 with Retry-After, and endpoints of others answer', async () => {
  const [crowd, other] = [await oneEndpoint(slow, call), await oneEndpoint(quick, call)]
  const refused: Reply[] = []
  const calls = Array.from({ length: 150 }, async () => {
    const answer = await crowd.call('e')
    if (answer.status === 429) refused.push(answer)
    return answer.status
  })
  await until(
    'forty calls are under way, and ten are refused',
    async () => slow.seen.length >= 40 && refused.length >= 10,
  )
  const answer = await other.call('e')
  letGo()
  expect(answer).toMatchObject({ status: 200, body: { fine: true } })
  expect(refused).toHaveLength(10)
  for (const { headers, body } of refused) {
    expect(headers.get('retry-after')).toBe('5')
    expect((body as Problem).type).toBe('/problems/too-many-calls')
  }
  // 503: on a busy machine, a start that Temporal did not take in time.
  expect([200, 429, 503]).toEqual(expect.arrayContaining(await Promise.all(calls)))
})
