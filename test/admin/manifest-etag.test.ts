// A manifest that is read has an ETag, with which nobody overwrites what somebody else has changed since.
import { expect, test } from 'vitest'
import { auditForPlatform } from '../support/audit.js'
import { manifestOf } from '../support/manifest.js'

/** A tenant that exists, and ways to read and write its manifest with an ETag. */
async function aTenant() {
  const tenant = await manifestOf()
  await tenant.put({ name: 'Before' })
  const etag = async () => (await tenant.get()).headers.get('etag') ?? ''
  const put = (manifest: object, ifMatch: string, query = '') =>
    tenant.platform.put<{ type: string }>(`${tenant.path}${query}`, manifest, { 'if-match': ifMatch })
  return { ...tenant, etag, putIf: put }
}

test('a manifest is written with the ETag that was read, and not with an older one', async () => {
  const { etag, putIf, get } = await aTenant()
  const read = await etag()
  expect(read).toMatch(/^"[\w-]{43}"$/)
  expect((await putIf({ name: 'After' }, read)).status).toBe(200)
  const late = await putIf({ name: 'Late' }, read)
  expect(late.status).toBe(412)
  expect(late.body.type).toBe('/problems/manifest-changed')
  expect(late.headers.get('etag')).toBe(await etag())
  expect((await putIf({ name: 'Late' }, read, '?plan=true')).status).toBe(412)
  expect(await get<{ name: string }>()).toMatchObject({ body: { name: 'After' } })
  expect((await putIf({ name: 'Any' }, '*')).status).toBe(200)
  expect((await putIf({ name: 'One of them' }, `"other", ${await etag()}`)).status).toBe(200)
})

test('a secret is a part of what was read, although it is not shown', async () => {
  const { etag, put, tenantKey } = await aTenant()
  const client = { id: `${tenantKey}-c`, scopes: ['FrameApi'] }
  await put({ name: 'A', clients: [{ ...client, secret: 'first secret of the client' }] })
  const before = await etag()
  await put({ name: 'A', clients: [{ ...client, secret: 'other secret of the client' }] })
  expect(await etag()).not.toBe(before)
})

test('with an ETag a tenant is not created, and of two who have read the same one is refused', async () => {
  const { platform } = await aTenant()
  const none = await manifestOf()
  expect((await platform.put(none.path, { name: 'N' }, { 'if-match': '*' })).status).toBe(412)
  expect((await none.get()).status).toBe(404)
  const { etag, putIf, tenantKey } = await aTenant()
  const read = await etag()
  const answers = await Promise.all(['x', 'y', 'z'].map(name => putIf({ name }, read)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412])
  const changes = (await auditForPlatform(tenantKey)).map(event => event.changes?.map(({ path }) => path))
  expect(changes).toHaveLength(2)
  expect(changes[1]).toEqual(['/name'])
})
