// Many large bodies at once.
import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'
import { paths, put } from '../support/frame.js'
import { startOwnApi } from '../support/own-api.js'
import { collecting } from '../support/stack.js'
import { longestMs, minWatched } from './watched.js'

const megabyte = 1024 * 1024
/** Of 32 MB: a tenth of the API's heap takes three, twenty wait. A tenant may have two. */
const [held, waiting, ofTenant] = [3, 20, 2]

let own: Awaited<ReturnType<typeof startOwnApi>>
const tenants: Tenant[] = []
beforeAll(async () => {
  own = await startOwnApi({ SECRET_HASH_COST: '1024', NODE_OPTIONS: collecting })
  await own.live()
  while (tenants.length * ofTenant <= held + waiting) tenants.push(await newTenant(own.baseUrl))
})
afterAll(() => own.stop())

/** Announces 32 MB, and sends its first two. */
function announced({ token }: Tenant): ClientRequest {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': 32 * megabyte,
  }
  const asked = request(new URL(`${paths.entities}/bulk`, own.baseUrl), { method: 'PUT', headers })
  asked.on('error', () => undefined)
  asked.write('['.padEnd(2 * megabyte, ' '))
  return asked
}

/** Bytes of bodies that are held after all garbage was collected. */
const memory = async (): Promise<number> => {
  process.kill(own.pid ?? 0, 'SIGUSR2')
  // Metrics are up to a second old.
  await sleep(1_100)
  const metrics = await (await fetch(`${own.metricsUrl}/metrics`)).text()
  return Number(/^armature_nodejs_external_memory_bytes (\S+)/m.exec(metrics)?.[1])
}

test('large bodies beyond the memory for them are told to come again, and leave no memory behind', async () => {
  const before = await memory()
  const asked = tenants.flatMap(tenant => Array.from({ length: ofTenant }, () => announced(tenant)))
  // Those behind the ones that are read wait; there is no place for the last one.
  const [refused] = await Promise.race(asked.map(each => once(each, 'response')))
  expect(refused.statusCode).toBe(503)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  // A small one waits for none of them.
  expect((await tenants[0]?.get(paths.entities))?.status).toBe(200)
  for (const each of asked) each.destroy()
  await expect.poll(async () => (await memory()) - before, { timeout: 20_000 }).toBeLessThan(8 * megabyte)
  const fits = JSON.stringify([anEntity('a')]).padEnd(2 * megabyte, ' ')
  expect(await tenants[0]?.put(`${paths.entities}/bulk`, fits)).toMatchObject({ status: 404 })
})

test('a large bulk holds up nobody while it is parsed, checked and planned', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  await put(tenant, paths.types, aType('unit'))
  const items = Array.from({ length: 50_000 }, (_, n) => ({
    ...anEntity(`ward-${n}`, { DisplayName: 'x'.repeat(150), ParentKey: n === 0 ? null : `ward-${n >> 1}` }),
    // All of it is read, and nothing written.
    ...(n === 49_999 ? { StructureTypeKey: 'nowhere' } : {}),
  }))
  const body = JSON.stringify(items)
  const held = await minWatched(async () => {
    expect((await tenant.put(`${paths.entities}/bulk`, body)).status).toBe(404)
  })
  expect(held).toBeLessThanOrEqual(longestMs)
})
