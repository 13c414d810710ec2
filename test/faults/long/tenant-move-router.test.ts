// A tenant moves from one cell to another while its callers go through the router, with one token and one address.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, api, newTenant, type Reply, type Tenant, tokenOf } from '../../support/api.js'
import { startCells, type TwoCells } from '../../support/cells.js'
import { placesOf } from '../../support/faults.js'
import { hierarchyModel, place, placeType } from '../../support/hierarchy-model.js'
import { moved } from '../../support/tenant-moves.js'
import { until } from '../../support/until.js'

let cells: TwoCells

beforeAll(async () => {
  cells = await startCells({}, { routers: 1 })
})
afterAll(() => cells?.stop())

/** Calls of one kind: what was done, what was to be repeated, and every other answer. */
function caller() {
  const counts = { calls: 0, repeated: 0, longestMs: 0 }
  const others: string[] = []
  return {
    counts,
    others,
    /** Repeats a 503 that says so. @throws Error with any other answer that is no success. */
    async call<Body>(send: () => Promise<Reply<Body>>): Promise<Body> {
      for (const since = Date.now(); ; ) {
        const answer = await send()
        if (answer.status < 300) {
          counts.calls++
          counts.longestMs = Math.max(counts.longestMs, Date.now() - since)
          return answer.body
        }
        if (answer.status !== 503 || !answer.headers.has('retry-after')) {
          others.push(`${answer.status} ${JSON.stringify(answer.body)}`)
          throw new Error(others[0])
        }
        counts.repeated++
        await sleep(100)
      }
    },
  }
}

/** The answer of the token endpoint, also where it is no success. */
async function askForToken({ clientId, clientSecret, tenantKey }: Tenant): Promise<Reply> {
  const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const answer = await fetch(`${cells.routerUrl}/identity/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...fields, tenant_key: tenantKey, scope: 'FrameApi' }),
  })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

test('callers notice a pause alone: no call fails, and all that was written is in the new cell', async () => {
  const { a, b, routerUrl } = cells
  const [tenant, neighbour] = await Promise.all([newTenant(routerUrl), newTenant(routerUrl)])
  const model = hierarchyModel()
  const many = placesOf(1_000, 1)
  await tenant.put('/api/v1/structureType', placeType)
  await neighbour.put('/api/v1/structureType', placeType)
  expect((await tenant.put('/api/v1/structuralEntity/bulk', many)).status).toBe(204)
  model.apply(many)
  const [writer, large, reader, tokens, beside] = [caller(), caller(), caller(), caller(), caller()]
  let isOver = false

  const writePlaces = async () => {
    for (let n = 0; !isOver; n++) {
      const one = place(`one-${n}`, n % 2 === 0 ? undefined : 'place-7')
      await writer.call(() => tenant.put('/api/v1/structuralEntity', one))
      model.apply([one])
      await sleep(50)
    }
  }
  // More than the router keeps: their callers repeat them.
  const writeLarge = async () => {
    for (let n = 0; !isOver; n++) {
      const batch = Array.from({ length: 700 }, (_, k) =>
        place(`large-${n}-${k}`, k === 0 ? undefined : `large-${n}-0`),
      )
      expect(JSON.stringify(batch).length).toBeGreaterThan(64 * 1024)
      await large.call(() => tenant.put('/api/v1/structuralEntity/bulk', batch))
      model.apply(batch)
      await sleep(500)
    }
  }
  const read = async (counted: ReturnType<typeof caller>, client: Api) => {
    while (!isOver) {
      await counted.call(() => client.get('/api/v1/structureType/place'))
      await sleep(20)
    }
  }
  const askTokens = async () => {
    while (!isOver) {
      await tokens.call(() => askForToken(tenant))
      await sleep(100)
    }
  }
  const all = [writer, large, reader, tokens, beside]
  const callers = Promise.all([writePlaces(), writeLarge(), read(reader, tenant), askTokens(), read(beside, neighbour)])
  callers.catch(() => undefined)

  const since = Date.now()
  const move = await moved(a, tenant, { cell: 'b', waitSeconds: 1 })
  const seconds = (Date.now() - since) / 1000
  const [then, largeThen] = [reader.counts.calls, large.counts.calls]
  await until('callers go on', async () => {
    const goOn = reader.counts.calls > then + 50 && large.counts.calls > largeThen
    return goOn || all.some(({ others }) => others.length > 0)
  })
  isOver = true
  await callers.catch(() => undefined)
  expect(all.flatMap(({ others }) => others)).toEqual([])
  await callers
  expect(move).toMatchObject({ state: 'moved', run: { status: 'completed', reason: null } })
  console.log({ seconds, writer: writer.counts, large: large.counts, reader: reader.counts, tokens: tokens.counts })

  expect(await model.differences(b.db, tenant.tenantKey)).toEqual([])
  expect(beside.counts).toMatchObject({ repeated: 0 })
  // A token of the old cell is valid in the new one, and its own are in the old one's: the key set is common.
  const { clientId: id, clientSecret: secret, tenantKey } = tenant
  const ofB = api(routerUrl, await tokenOf(routerUrl, { id, secret, tenantKey, scope: 'FrameApi' }))
  expect((await ofB.get('/api/v1/structureType/place')).status).toBe(200)
  expect((await tenant.get('/api/v1/structureType/place')).status).toBe(200)
}, 150_000)
