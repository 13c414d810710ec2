// Random kills beside bulks.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import type { Tenant } from '../../support/api.js'
import { tenantWithPlaces } from '../../support/factories.js'
import { ended, type JobBody } from '../../support/faults.js'
import { type HierarchyModel, type Place, place } from '../../support/hierarchy-model.js'
import { type Random, randomOf } from '../../support/random.js'
import { sharedStack, type Victim } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

// Run by `npm run test:faults`, which chooses and prints these.
const minutes = Number(process.env.FAULT_MINUTES ?? 10)
const seed = Number(process.env.FAULT_SEED ?? 1)
const tenants = 3
const batchItems = 20_000

const stack = sharedStack()
let db: Knex
beforeAll(async () => {
  db = connect(stack.databaseUrl, { poolSize: 4 })
})
afterAll(async () => {
  await db?.destroy()
})

const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`)

interface Writer {
  tenant: Tenant
  model: HierarchyModel
  random: Random
  batches: number
  items: number
}

test(
  'whatever is killed, and when: every accepted batch is written once, every row of every tenant',
  async () => {
    const random = randomOf(seed)
    const writers: Writer[] = []
    for (let n = 0; n < tenants; n++) {
      writers.push({ ...(await tenantWithPlaces(stack.baseUrl)), random: randomOf(seed + n + 1), batches: 0, items: 0 })
    }
    const deadline = Date.now() + minutes * 60_000
    const victims = [stack.api, stack.worker, stack.temporal, ...(stack.database ? [stack.database] : [])]
    let kills = 0
    const killing = (async () => {
      for (let round: Victim[] = []; Date.now() < deadline; ) {
        await sleep(random.between(2_000, 12_000))
        // Everyone once a round, in another order every time.
        if (round.length === 0) round = random.shuffled(victims)
        const victim = round.pop()
        const how = random.between(0, 4) === 0 ? 'SIGTERM' : 'SIGKILL'
        if (!victim?.pid) continue
        process.kill(victim.pid, how)
        kills++
        say(`${how} ${victim.name}; ${writers.map(({ batches }) => batches).join(' + ')} batches so far`)
      }
    })()
    await Promise.all([killing, ...writers.map(writer => write(writer, deadline))])

    say(`${kills} kills; comparing every row`)
    await stack.ready()
    for (const { tenant, model, batches, items } of writers) {
      expect(await model.differences(db, tenant.tenantKey)).toEqual([])
      say(`${tenant.tenantKey}: ${batches} batches of ${items} items, ${model.places.size} rows, all right`)
      expect(batches).toBeGreaterThan(0)
    }
  },
  minutes * 60_000 + 600_000,
)

/** Sends one batch after the other until the time is up. A request whose answer is lost is sent again with its key. */
async function write(writer: Writer, deadline: number): Promise<void> {
  const { tenant, model } = writer
  do {
    const batch = batchOf(writer)
    const key = `batch-${writer.batches}`
    const job = await until('the batch is accepted', async () => {
      const answer = await tenant
        .put<JobBody>('/api/v1/structuralEntity/bulk', batch, { prefer: 'respond-async', 'idempotency-key': key })
        .catch(() => undefined)
      if (answer?.status === 202) return answer.body
      if (answer && answer.status !== 503) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
      await sleep(500)
      return undefined
    })
    const counts = model.apply(batch)
    const { status, counts: counted } = await ended(tenant, job.jobId, 300_000)
    expect({ status, counts: counted }).toEqual({
      status: 'Completed',
      counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    })
    writer.batches++
    writer.items += batch.length
  } while (Date.now() < deadline)
}

/** New places, renamed ones and moved ones, in any order; a parent is always older, so that there is no cycle. */
function batchOf({ model, random, batches }: Writer): Place[] {
  const known = model.places.size
  const items = new Map<string, Place>()
  for (let n = 0; n < batchItems; n++) {
    const isNew = known === 0 || random.between(0, 100) < 50
    const number = isNew ? known + n : random.between(0, known)
    const parent =
      number === 0 || random.between(0, 50) === 0 ? undefined : random.between(0, Math.min(number, known + n))
    // New places of one batch may hang on each other only where the parent is in it.
    const parentKey = parent === undefined ? undefined : `p-${parent}`
    const exists = parentKey === undefined || model.places.has(parentKey) || items.has(parentKey)
    const key = `p-${number}`
    items.set(
      key,
      place(key, exists ? parentKey : undefined, random.between(0, 500), `Place ${number} of batch ${batches}`),
    )
  }
  return random.shuffled([...items.values()])
}
