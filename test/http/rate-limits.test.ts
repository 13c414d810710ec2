import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Api, admin, api, newTenant, type Problem, tokenOf } from '../support/api.js'
import { problem } from '../support/http.js'

const path = '/api/v1/group'
const baseUrl = inject('baseUrl')
let platform: Api
beforeAll(async () => {
  platform = await admin(baseUrl)
})

const statuses = async (caller: Api, count: number) => {
  const answers: number[] = []
  for (let n = 0; n < count; n++) answers.push((await caller.get(path)).status)
  return answers
}

/** A tenant with two clients, of which each may send so many requests a minute. */
async function limited(requestsPerMinute: number) {
  const tenantKey = `l-${randomBytes(6).toString('hex')}`
  const clients = ['a', 'b'].map(name => ({
    id: `${tenantKey}-${name}`,
    secret: randomBytes(16).toString('hex'),
    scopes: ['FrameApi'],
    permissions: ['List:*'],
  }))
  const limit = (limits: object) => platform.put(`/admin/v1/tenants/${tenantKey}`, { clients, limits })
  await limit({ requestsPerMinute })
  const [a, b] = await Promise.all(
    clients.map(async client => api(baseUrl, await tokenOf(baseUrl, { ...client, tenantKey, scope: 'FrameApi' }))),
  )
  if (!a || !b) throw new Error('Two clients were made')
  return { a, b, limit }
}

test('there is no limit where the manifest names none', async () => {
  const tenant = await newTenant(baseUrl)
  const answers = await Promise.all(Array.from({ length: 100 }, () => tenant.get(path)))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})

describe('a client that has used up its minute', () => {
  test('gets 429 that says when to come back, whatever it asks; its neighbour goes on', async () => {
    const { a, b } = await limited(3)
    expect(await statuses(a, 3)).toEqual([200, 200, 200])
    const { headers, body } = await a.get<Problem>(path)
    expect(body).toEqual(problem(429, 'rate-limited', path, { detail: expect.stringContaining('3 requests a minute') }))
    const seconds = Number(headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    // Neither a body that is wrong nor a permission that is missing is looked at.
    expect((await a.put(path, '{')).status).toBe(429)
    expect((await a.get(`${path}/x`)).status).toBe(429)
    expect(await statuses(b, 3)).toEqual([200, 200, 200])
  })

  test('goes on when the manifest says so, within 5 s', async () => {
    const { a, limit } = await limited(1)
    expect(await statuses(a, 2)).toEqual([200, 429])
    await limit({})
    await expect.poll(async () => (await a.get(path)).status, { timeout: 5_000, interval: 200 }).toBe(200)
    expect(await statuses(a, 5)).toEqual([200, 200, 200, 200, 200])
  })
})

test('requests without a valid token count for nobody', async () => {
  const { a } = await limited(2)
  for (const token of ['', 'garbage']) await statuses(api(baseUrl, token), 3)
  expect(await statuses(a, 3)).toEqual([200, 200, 429])
})
