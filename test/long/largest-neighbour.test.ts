// Each operation, called by the largest tenant beside a small one.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { startBareServer } from '../support/bare-server.js'
import { type ScriptedProvider, scriptedProvider } from '../support/data-sets.js'
import { anEntity, aType } from '../support/factories.js'
import { paths, put } from '../support/frame.js'
import { type FurnishedTenant, furnishedTenant } from '../support/furnished-tenant.js'
import { type HeavyRequest, heaviestOf } from '../support/heaviest-requests.js'
import { enlarge } from '../support/large-tenant.js'
import { turnlessMs } from '../support/machine-speed.js'
import { isOfPlatform, type Operation, readOperations } from '../support/operations.js'
import { familyOf, peakOf } from '../support/processes.js'
import { startStack } from '../support/stack.js'

// Operations come from the description: a new one is called without being named here.

/**
 * How long a read of another tenant may take, in ms, beyond what a call of a server that does nothing takes meanwhile: on a busy machine
 * that takes long, too.
 */
const longestMs = 250
/** How much memory a process may have, in bytes. */
const mostBytes = 1_000_000_000
/** How many people and places of 0.9 MB the tenant has: far more than a page or a process has room for at once. */
const size = 100
const callers = 4
/** How long an operation is called, in ms, and at least once by each caller. */
const duration = 1_000

// A stack of its own, which no other file uses.
const stack = await startStack()
const described = await readOperations(stack.baseUrl)
/** First what reads, so that it has something to read; last what takes things or tokens away. */
function rank(operation: Operation): number {
  if (operation.operationId === 'rotateSigningKeys') return 5
  if (operation.operationId === 'putTenant') return 4
  if (isOfPlatform(operation)) return 3
  if (operation.method === 'DELETE' || /^(erase|merge|withdraw)/.test(operation.operationId)) return 2
  return operation.method === 'GET' ? 0 : 1
}
const operations = described.operations.sort((a, b) => rank(a) - rank(b))

let provider: ScriptedProvider
let largest: FurnishedTenant
let reader: Tenant
let bare: Awaited<ReturnType<typeof startBareServer>>
beforeAll(async () => {
  provider = await scriptedProvider(stack.providerPorts)
  largest = await furnishedTenant(provider, stack)
  await enlarge(largest, size)
  reader = await newTenant(stack.baseUrl)
  await put(reader, paths.types, aType('unit'))
  await put(reader, paths.entities, anEntity('root'))
  bare = await startBareServer()
}, 600_000)
afterAll(async () => {
  bare?.stop()
  await provider?.stop()
  await stack.stop()
})

/** Sends a request, and throws the answer away as it comes. @returns its status. */
async function send({ method, path, headers, body }: HeavyRequest): Promise<number> {
  const answer = await fetch(new URL(path, stack.baseUrl), {
    method,
    headers,
    redirect: 'manual',
    ...(body ? { body: new Uint8Array(body) } : {}),
  })
  for await (const _ of answer.body ?? []);
  return answer.status
}

/** Calls an operation, several callers at once. @returns how long others waited for it, in ms, and how it was answered. */
async function besideCallsOf(request: HeavyRequest) {
  const statuses = new Set<number>()
  const [ours, floor] = [[0], [0]]
  let isOver = false
  const take = async (taken: number[], call: () => Promise<unknown>) => {
    while (!isOver) {
      const [started, turnless] = [performance.now(), turnlessMs(stack.api.pid)]
      await call()
      // What other processes of this machine took from the API is not the fault of the operation.
      taken.push(performance.now() - started - (turnlessMs(stack.api.pid) - turnless))
      await sleep(10)
    }
  }
  const read = async () => expect((await reader.get(`${paths.entities}/root`)).status).toBe(200)
  const measured = [take(ours, read), take(floor, bare.call)]
  const until = Date.now() + duration
  const calls = Array.from({ length: callers }, async () => {
    do statuses.add(await send(request))
    while (Date.now() < until)
  })
  try {
    await Promise.all(calls)
  } finally {
    isOver = true
    await Promise.all(measured)
  }
  return { waited: Math.max(...ours) - Math.max(...floor), statuses: [...statuses] }
}

const programs = { API: stack.api, worker: stack.worker }
/** Operations whose heaviest request was done, not refused. */
const answered = new Set<string>()
const cases = operations.map(operation => [operation.operationId, operation] as const)

test.each(cases)('%s', { timeout: 300_000 }, async (_, operation) => {
  for (const request of heaviestOf(operation, described, largest)) {
    let { waited, statuses } = await besideCallsOf(request)
    // On a busy machine a moment is long by chance: an operation that holds others up does it each time.
    for (let time = 1; time < 3 && waited > longestMs; time++) {
      const again = await besideCallsOf(request)
      waited = Math.min(waited, again.waited)
      statuses = [...new Set([...statuses, ...again.statuses])]
    }
    const peaks = Object.entries(programs).map(([name, { pid = 0 }]) => ({
      name,
      peak: Math.max(...familyOf(pid).map(peakOf)),
    }))
    if (statuses.some(status => status < 400)) answered.add(operation.operationId)
    expect(waited, `ms for which ${request.method} ${request.path} held others up`).toBeLessThan(longestMs)
    for (const { name, peak } of peaks) expect(peak, `bytes of a process of the ${name}`).toBeLessThan(mostBytes)
  }
})

test('most of them were done', () => {
  expect(answered.size).toBeGreaterThan(cases.length / 2)
})
