// Stops and kills of workers with limited providers.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newTenant, type Tenant } from '../../support/api.js'
import { signal } from '../../support/faults.js'
import { type AllowedServer, allowedServer } from '../../support/provider.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
let site: AllowedServer
let tenant: Tenant
let arrived = 0
let inFlight = 0
let maxInFlight = 0

beforeAll(async () => {
  site = await allowedServer(stack.providerPorts.slice(1))
  site.answer(async (_, response) => {
    arrived++
    maxInFlight = Math.max(maxInFlight, ++inFlight)
    response.once('close', () => inFlight--)
    await sleep(200)
    response.end('answered')
  })
  const glue = {
    providers: [{ key: 'limited', url: site.url, limits: { concurrency: 2, requestsPerSecond: 100 } }],
    endpoints: [
      {
        key: 'call',
        steps: [
          { name: 'answer', httpRequest: { provider: 'limited', method: 'GET', url: '/' } },
          { name: 'end', respond: { body: '{{ steps.answer.body }}' } },
        ],
      },
    ],
  }
  tenant = await newTenant(stack.baseUrl, {}, { glue })
})
afterAll(async () => {
  await site?.stop()
})

async function call(): Promise<string> {
  const answer = await fetch(`${stack.baseUrl}/glue/${tenant.tenantKey}/call`, { method: 'POST' })
  return `${answer.status} ${await answer.text()}`
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a worker that gets %s in the middle of limited calls: all are answered by the next one, within the limits',
  async name => {
    expect(await call()).toBe('200 answered')
    const before = arrived
    maxInFlight = 0
    const calls = Array.from({ length: 30 }, call)
    await until('some calls are made', async () => arrived > before + 4)
    const stopped = signal(stack.worker, name)
    await until('another worker runs', async () => stack.worker.pid !== undefined && stack.worker.pid !== stopped)
    expect(await Promise.all(calls)).toEqual(Array(30).fill('200 answered'))
    expect(maxInFlight).toBe(2)
  },
)

test('a worker that is told to stop ends by itself, with nothing left behind', () => {
  const lines = readFileSync(join(stack.dataDir, 'logs', 'worker.log'), 'utf8')
  expect(lines).toContain('"reason":"SIGTERM"')
  expect(lines).not.toMatch(/stopping failed|Cannot close connection/)
})
