// How many statements everyday calls take, from the request to the end of its run. The numbers are the same on every machine.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everydayCalls } from '../support/everyday-calls.js'
import { type Collector, newTrace, startCollector, statementsOf, traceAsAsked } from '../support/otlp.js'
import { statementsWithin } from '../support/server-statements.js'
import { type Stack, startStack } from '../support/stack.js'

/** More statements need a reason; fewer are written down here and in docs/scaling.md. */
const wanted: Record<string, number> = {
  'a subject by its id, with its places': 2,
  'a list of 20 in two places, with its total': 5,
  'an upsert of a new subject': 14,
  'an upsert that changes nothing': 10,
  'a bulk of 20 new subjects': 14,
  'a bulk of 21 new entities': 22,
  'a new form instance': 8,
  'a submission of 200 values': 10,
  'a refresh of 500 rows': 39,
  'a transfer of nobody': 20,
}

let collector: Collector
let stack: Stack
let everyday: Awaited<ReturnType<typeof everydayCalls>>
// A stack of its own, because tracing changes how requests are named.
beforeAll(async () => {
  collector = await startCollector()
  stack = await startStack(traceAsAsked(collector.url))
  everyday = await everydayCalls(stack.baseUrl, stack.providerPorts)
})
afterAll(async () => {
  await everyday?.stop()
  await stack?.stop()
  await collector?.stop()
})

test('an idle installation comes to rest at no more than 5 a second', async () => {
  // At first there is work left over from what the calls were prepared with: words for the search, audit events to seal.
  const inTwentySeconds = () => statementsWithin(stack.databaseUrl, 20)
  await expect.poll(inTwentySeconds, { timeout: 120_000, interval: 0 }).toBeLessThanOrEqual(100)
}, 180_000)

test.for(Object.entries(wanted))('%s: %i', async ([name, count]) => {
  const call = everyday.calls[name]
  if (!call) throw new Error(`There is no call ${name}`)
  // Now and then a call reads something again that later ones remember for some seconds.
  const traces = [newTrace(), newTrace(), newTrace()]
  for (const { headers } of traces) await call(headers)
  const all = await Promise.all(traces.map(({ traceId }) => statementsOf(collector, traceId)))
  const [statements = []] = all.sort((a, b) => a.length - b.length)
  expect(statements, statements.join(', ')).toHaveLength(count)
})
