// Measures how one tenant is affected by heavy use of another.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from '../db/connect.js'
import { newTenant, type Tenant } from '../test/support/api.js'
import { refreshPath, scriptedGlue, scriptedProvider } from '../test/support/data-sets.js'
import { recordingProvider } from '../test/support/endpoints.js'
import { anEntity, aType, dataTenant, glueTenant } from '../test/support/factories.js'
import type { JobBody } from '../test/support/faults.js'
import { paths, put } from '../test/support/frame.js'
import { furnishedTenant } from '../test/support/furnished-tenant.js'
import { enlarge } from '../test/support/large-tenant.js'
import type { Stack } from '../test/support/stack.js'
import { subjectsPath } from '../test/support/subjects.js'
import { entityFloor } from './entity-floor-route.js'
import { line, memory, percentile } from './measure.js'
import type { CrowdOrder, CrowdReport } from './strangers-crowd.js'

/** Measures how long a tenant waits during another one's heavy use, compared with a quiet time. */
export async function benchNeighbours(stack: Stack, short: boolean): Promise<void> {
  const seconds = short ? 1 : 30
  console.log(`A tenant beside another one (${seconds} s each, alone and beside)…`)
  await besideWriters(stack, seconds)
  await besideSlowEndpoint(stack, seconds)
  await besideHeldLock(stack, short ? 2 : 75)
  await besideSlowProvider(stack, seconds, short ? 2_000 : 8_000)
  await besideExpression(stack, seconds)
  await besideLargeBodies(stack, seconds, short ? 10_000 : 100_000)
  await besideLargePages(stack, seconds, short ? 20 : 470)
}

/** The crowd is 40 callers who write to one hierarchy. */
async function besideWriters(stack: Stack, seconds: number): Promise<void> {
  const [writers, reader] = [await tenantOf(stack), await tenantOf(stack)]
  const crowd = (goesOn: () => boolean) =>
    callers(40, goesOn, (caller, n) =>
      writers.put(paths.entities, anEntity(`leaf-${caller}-${n}`, { ParentKey: 'root' })),
    )
  report('a read beside 40 writers of a hierarchy', await measuredReads(stack, reader, seconds, crowd))
}

/** The crowd is 150 concurrent calls of an endpoint whose provider takes 8 s. */
async function besideSlowEndpoint(stack: Stack, seconds: number): Promise<void> {
  const slow = await recordingProvider(() => sleep(8_000, {}), stack.providerPorts)
  const quick = await recordingProvider(undefined, stack.providerPorts)
  const steps = [{ name: 'call', httpRequest: { provider: 'p', url: 'x' } }]
  const tenantWith = ({ url }: { url: string }) =>
    glueTenant({ providers: [{ key: 'p', url }], endpoints: [{ key: 'e', steps }] }, {}, stack.baseUrl)
  try {
    const [crowded, other] = [await tenantWith(slow), await tenantWith(quick)]
    const call = () => answered(other.call('e'))
    const crowd = (goesOn: () => boolean) =>
      callers(150, goesOn, async () => {
        // Waits like a caller that respects a Retry-After of 5 s.
        if ((await crowded.call('e')).status === 429) await sleep(5_000)
      })
    report('an endpoint beside 150 slow calls of another', await measured(seconds, call, crowd))
  } finally {
    await Promise.all([slow.stop(), quick.stop()])
  }
}

/** The crowd is 20 callers who write bulks to a hierarchy that is locked, as by an ALTER or a dump. */
async function besideHeldLock(stack: Stack, seconds: number): Promise<void> {
  const [stuck, other] = [await tenantOf(stack), await tenantOf(stack)]
  const db = connect(stack.databaseUrl, { poolSize: 1, silenceTimeoutMs: 600_000 })
  const bulk = (tenant: Tenant, name: string) =>
    tenant.put(
      `${paths.entities}/bulk`,
      Array.from({ length: 25 }, (_, n) => anEntity(`${name}-${n}`, { ParentKey: 'root' })),
    )
  let number = 0
  const crowd = (goesOn: () => boolean) =>
    db.transaction(async trx => {
      const { id } = await trx('tenants').where({ tenant_key: stuck.tenantKey }).first('id')
      await trx('hierarchies').where({ tenant_id: id }).forUpdate().first('version')
      const waiting = callers(20, goesOn, (caller, n) => bulk(stuck, `held-${caller}-${n}`))
      while (goesOn()) await sleep(50)
      await trx.rollback()
      await waiting
    }, {})
  try {
    const figures = await measured(seconds, () => answered(bulk(other, `b-${number++}`)), crowd)
    report(`a bulk of 25 beside a lock held ${seconds} s`, figures)
  } finally {
    await db.destroy()
  }
}

/** The crowd is twelve refreshes, of many pages each, from a provider that takes long for every page. */
async function besideSlowProvider(stack: Stack, seconds: number, slowMs: number): Promise<void> {
  const register = await scriptedProvider(stack.providerPorts)
  register.says(async ({ cursor }) => {
    await sleep(slowMs)
    return { dataPoints: [], next: String(Number(cursor ?? 0) + 1) }
  })
  const keys = Array.from({ length: 12 }, (_, n) => `set-${n}`)
  const extracts = Object.fromEntries(keys.map(key => [key, { of: key }]))
  try {
    const slow = await dataTenant(scriptedGlue(register.url, { extracts }), [], stack.baseUrl)
    const other = await tenantOf(stack)
    let number = 0
    // Too large for a small bulk, so it runs as a job on a worker, like the refreshes.
    const bulk = () => {
      const name = `job-${number++}`
      const places = Array.from({ length: 1_001 }, (_, n) => anEntity(`${name}-${n}`, { ParentKey: 'root' }))
      return answered(other.put(`${paths.entities}/bulk`, places))
    }
    const crowd = async (goesOn: () => boolean) => {
      const jobs = await Promise.all(
        keys.map(
          async key => (await slow.post<JobBody>(refreshPath(key), undefined, { prefer: 'respond-async' })).body,
        ),
      )
      while (goesOn()) await sleep(50)
      for (const { links } of jobs) await slow.post(`${links.self}/cancel`)
    }
    report('a job of 1,001 entities beside twelve refreshes of a slow provider', await measured(seconds, bulk, crowd))
  } finally {
    await register.stop()
  }
}

/** The crowd is two callers of an endpoint whose expression exceeds the time limit. */
async function besideExpression(stack: Stack, seconds: number): Promise<void> {
  const expression = '$sum([1..999999].($ * 2))'
  const steps = [{ name: 'hostile', transform: { expression } }]
  const hostile = await glueTenant({ endpoints: [{ key: 'e', steps }] }, {}, stack.baseUrl)
  const reader = await tenantOf(stack)
  const crowd = (goesOn: () => boolean) => callers(2, goesOn, () => hostile.call('e'))
  report('a read beside an expression that does not end', await measuredReads(stack, reader, seconds, crowd))
}

/**
 * The crowd is ten callers who send a large bulk, up to the maximum number of items. Its last entity is faulty, so
 * everything is read and nothing is written.
 */
async function besideLargeBodies(stack: Stack, seconds: number, count: number): Promise<void> {
  const [sender, reader] = [await tenantOf(stack), await tenantOf(stack)]
  let taken = ''
  const items = Array.from({ length: count }, (_, n) => ({
    ...anEntity(`ward-${n}`, { ParentKey: n === 0 ? null : `ward-${n >> 1}`, DisplayName: 'x'.repeat(150) }),
    ...(n === count - 1 ? { StructureTypeKey: 'nowhere' } : {}),
  }))
  const body = Buffer.from(JSON.stringify(items))
  const headers = { authorization: `Bearer ${sender.token}`, 'content-type': 'application/json' }
  const requests = [{ method: 'PUT', path: `${paths.entities}/bulk`, headers, body }]
  // The senders run in another process, because here they would delay the reads that are measured.
  const senders = fork(fileURLToPath(new URL('./strangers-crowd.js', import.meta.url)), { serialization: 'advanced' })
  await once(senders, 'message')
  const figures = await measuredReads(stack, reader, seconds, async () => {
    const order: CrowdOrder = { baseUrl: stack.baseUrl, requests, strangers: 10, seconds: seconds + 1 }
    senders.send(order)
    const [report]: CrowdReport[] = await once(senders, 'message')
    taken = `${report?.answered} answered, ${report?.failed} failed`
  })
  report(`a read beside ten callers who send ${Math.round(body.length / 1e6)} MB each (${taken})`, figures)
}

/** The crowd is ten callers who read lists of people and of places with 0.9 MB of values each, in the largest pages. */
async function besideLargePages(stack: Stack, seconds: number, count: number): Promise<void> {
  const provider = await scriptedProvider(stack.providerPorts)
  const largest = await furnishedTenant(provider, stack)
  await provider.stop()
  await enlarge(largest, count)
  const reader = await tenantOf(stack)
  const lists = [`${subjectsPath}?First=1000`, `${paths.entities}?First=1000`]
  const figures = await measuredReads(stack, reader, seconds, goesOn =>
    callers(10, goesOn, async caller => {
      const answer = await fetch(new URL(lists[caller % lists.length] ?? '', stack.baseUrl), {
        headers: { authorization: `Bearer ${largest.token}` },
      })
      // Thrown away as it comes: to parse it would delay the reads that are measured.
      for await (const _ of answer.body ?? []);
      if (!answer.ok) throw new Error(`${answer.status}`)
    }),
  )
  const peak = Math.round(memory(stack.api.pid, 'VmHWM'))
  report(
    `a read beside ten callers who list ${count} people and places of 0.9 MB (the API used ${peak} MB at most)`,
    figures,
  )
}

async function tenantOf(stack: Stack): Promise<Tenant> {
  const tenant = await newTenant(stack.baseUrl)
  await put(tenant, paths.types, aType('unit'))
  await put(tenant, paths.entities, anEntity('root'))
  return tenant
}

async function answered(call: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await call
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
}

/** Runs `count` callers, each making one call after another, while `goesOn` returns true. */
const callers = (count: number, goesOn: () => boolean, call: (caller: number, n: number) => Promise<unknown>) =>
  Promise.all(
    Array.from({ length: count }, async (_, caller) => {
      for (let n = 0; goesOn(); n++) await call(caller, n)
    }),
  )

interface Times {
  ours: number[]
  /**
   * Times of a bare route on the same machine without our work. They show how much the crowd slows down the machine
   * itself.
   */
  floor: number[]
}

interface Figures {
  alone: Times
  beside: Times
}

type Crowd = (goesOn: () => boolean) => Promise<unknown>

/** Times a tenant's reads, alternating with reads of a bare route. */
async function measuredReads(stack: Stack, reader: Tenant, seconds: number, crowd: Crowd): Promise<Figures> {
  const floor = await entityFloor(stack, reader.tenantKey, 'root')
  try {
    return await measured(seconds, () => answered(reader.get(`${paths.entities}/root`)), crowd, floor.read)
  } finally {
    floor.stop()
  }
}

/** Times calls one after another, first alone and then beside the crowd. */
async function measured(
  seconds: number,
  call: () => Promise<void>,
  crowd: Crowd,
  floor?: () => Promise<void>,
): Promise<Figures> {
  const take = async (taken: number[], work: () => Promise<void>) => {
    const started = performance.now()
    await work()
    taken.push(performance.now() - started)
    await sleep(10)
  }
  const times = async (until: number): Promise<Times> => {
    const taken: Times = { ours: [], floor: [] }
    while (Date.now() < until) {
      await take(taken.ours, call)
      if (floor) await take(taken.floor, floor)
    }
    return taken
  }
  await times(Date.now() + 1_000)
  const alone = await times(Date.now() + Math.min(seconds, 10) * 1_000)
  let isOver = false
  const others = crowd(() => !isOver)
  await sleep(1_000)
  try {
    return { alone, beside: await times(Date.now() + seconds * 1_000) }
  } finally {
    isOver = true
    await others
  }
}

function report(what: string, { alone, beside }: Figures): void {
  console.log(`  ${what}`)
  const ms = (value: number) => `${value.toFixed(1)} ms`
  const row = (name: string, of: keyof Times, percent: number, goal = '') => {
    const [now, quiet] = [percentile(beside[of], percent), percentile(alone[of], percent)]
    line(`    ${name}`, ms(now), ms(quiet), (now / quiet).toFixed(1), goal)
  }
  row('p50', 'ours', 50)
  row('p95', 'ours', 95, '≤ 3')
  row('slowest', 'ours', 100)
  if (alone.floor.length > 0) row('p95 of a bare route', 'floor', 95)
}
