// Scopes and permissions.
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { type Api, admin, api, newTenant, type Tenant, tokenOf } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'
import { problem } from '../support/http.js'

const group = '/api/v1/group'

describe('what a token may do', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await newTenant(inject('baseUrl'))
    await tenant.put(group, { Key: 'a', Name: 'A' })
  })

  test.each([
    ['FormsApi', group, 'FrameApi'],
    ['FrameApi', '/admin/v1/tenants/demo', 'PlatformAdmin'],
    ['FrameGlueDataProviderApi', '/api/v1/jobs', 'FrameApi FormsApi'],
  ])('with the scope %s alone %s is 403, and the challenge names %s', async (has, path, needs) => {
    const { headers, body } = await (await tenant.client(['*'], [has])).get(path)
    expect(body).toEqual(problem(403, 'insufficient-scope', path))
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="armature", error="insufficient_scope", scope="${needs}"`,
    )
  })

  test('a scope of the client counts only if its token names it', async () => {
    const both = await tenant.client(['*'], ['FormsApi', 'FrameApi'])
    expect((await both.get(group)).status).toBe(200)
    const id = `${tenant.tenantKey}-narrow`
    const secret = randomBytes(16).toString('hex')
    const platform = await admin(inject('baseUrl'))
    const own = `own-${tenant.tenantKey}`
    await platform.put(`/admin/v1/tenants/${own}`, {
      clients: [{ id, secret, scopes: ['FormsApi', 'FrameApi'], permissions: ['*'] }],
    })
    const narrow = await tokenOf(inject('baseUrl'), { id, secret, tenantKey: own, scope: 'FormsApi' })
    expect((await api(inject('baseUrl'), narrow).get(group)).body).toEqual(problem(403, 'insufficient-scope', group))
  })

  test('only a permission that matches by name or wildcard opens an endpoint', async () => {
    const opening = ['*', '*:*', 'List:*', '*:Group', 'List:Group']
    const others = ['View:*', 'List:Job', 'View:Group']
    const clients = await tenant.clients([...opening, ...others].map(permission => [permission]))
    const statuses = await Promise.all(clients.map(async client => (await client.get(group)).status))
    expect(statuses).toEqual([...opening.map(() => 200), ...others.map(() => 403)])
  })
})

// They wait for the memory of grants at the same time, each with a tenant of its own.
describe.concurrent('a token loses what its client loses', () => {
  /** A client with a token, and a function that applies a change of the client. */
  async function holderOfToken() {
    const baseUrl = inject('baseUrl')
    const tenantKey = `r-${randomBytes(6).toString('hex')}`
    const platform = await admin(baseUrl)
    const client = {
      id: `${tenantKey}-c`,
      secret: randomBytes(16).toString('hex'),
      scopes: ['FrameApi'],
      permissions: ['*'],
    }
    const apply = (...clients: object[]) => platform.put(`/admin/v1/tenants/${tenantKey}`, { clients })
    await apply(client)
    const holder = api(baseUrl, await tokenOf(baseUrl, { ...client, tenantKey, scope: 'FrameApi' }))
    expect((await holder.get(group)).status).toBe(200)
    return { client, holder, apply }
  }

  // The promise is 5 s, which test/identity/grants.test.ts holds; here nothing depends on how busy the machine is.
  const soon = { timeout: 30_000, interval: 100 }
  const revoked = (holder: Api, status: number, code: string) =>
    vi.waitFor(async () => expect((await holder.get(group)).body).toEqual(problem(status, code, group)), soon)

  test.concurrent('deleted: 401 soon after', async () => {
    const { holder, apply } = await holderOfToken()
    await apply()
    await revoked(holder, 401, 'unauthenticated')
  })

  test.concurrent('disabled: 401 soon after; enabled again, the token works again', async () => {
    const { client, holder, apply } = await holderOfToken()
    await apply({ ...client, disabled: true })
    await revoked(holder, 401, 'unauthenticated')
    await apply(client)
    await vi.waitFor(async () => expect((await holder.get(group)).status).toBe(200), soon)
  })

  test.concurrent('without the permission: 403 soon after', async () => {
    const { client, holder, apply } = await holderOfToken()
    await apply({ ...client, permissions: ['View:*'] })
    await revoked(holder, 403, 'forbidden')
  })

  test.concurrent('without the scope: 403 soon after', async () => {
    const { client, holder, apply } = await holderOfToken()
    await apply({ ...client, scopes: ['FormsApi'] })
    await revoked(holder, 403, 'insufficient-scope')
  })
})

test("a token of another tenant sees nothing of this one, and this one's keys are free for it", async () => {
  const [ours, theirs] = [await newTenant(inject('baseUrl')), await newTenant(inject('baseUrl'))]
  await ours.put(group, { Key: 'same', Name: 'Ours' })
  await ours.put('/api/v1/structureType', aType('unit'))
  const bulk = await ours.put('/api/v1/structuralEntity/bulk', [anEntity('b')])
  const job = bulk.headers.get('location') ?? ''
  for (const path of [`${group}/same`, job, `${job}/items`]) {
    expect((await theirs.get(path)).body).toEqual(problem(404, 'not-found', path))
  }
  for (const verb of ['cancel', 'retry']) expect((await theirs.post(`${job}/${verb}`)).status).toBe(404)
  expect((await theirs.delete(`${group}/same`)).status).toBe(404)
  for (const path of [group, '/api/v1/jobs']) expect((await theirs.get(path)).body).toMatchObject({ Edges: [] })
  expect((await theirs.put(group, { Key: 'same', Name: 'Theirs' })).status).toBe(201)
  expect((await ours.get(`${group}/same`)).body).toMatchObject({ DisplayName: 'Ours' })
})
