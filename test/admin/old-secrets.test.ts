// A client changes over to a new secret while it calls: the one before works until a time that the manifest names.
import { expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { openDatabase } from '../support/factories.js'
import { manifestOf } from '../support/manifest.js'

const db = openDatabase()
const hours = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString()
const [first, second, third] = ['the first secret of it', 'the second secret of it', 'the third secret of it']

/** A tenant with a client whose secret is the first one, and what the client's manifest is written with. */
async function aTenant() {
  const tenant = await manifestOf()
  const id = `${tenant.tenantKey}-c`
  const put = (client: object) => tenant.put({ clients: [{ id, scopes: ['FrameApi'], ...client }] })
  const signIns = async () => {
    const works: string[] = []
    for (const secret of [first, second, third]) if ((await tenant.signsIn(id, secret)) === 'token') works.push(secret)
    return works
  }
  await put({ secret: first })
  return { ...tenant, id, putClient: put, signIns }
}

test('without a time, the old secret ends at once', async () => {
  const { putClient, signIns } = await aTenant()
  await putClient({ secret: second })
  expect(await signIns()).toEqual([second])
})

test('with a time, both work until it, and the manifest says so until then', async () => {
  const { id, putClient, signIns, get } = await aTenant()
  const oldSecretUntil = hours(24)
  const { body } = await putClient({ secret: second, oldSecretUntil })
  expect(body.changes.map(({ path }) => path).sort()).toEqual([
    `/clients/${id}/oldSecretUntil`,
    `/clients/${id}/secret`,
  ])
  expect(await signIns()).toEqual([first, second])
  const again = await putClient({ secret: second, oldSecretUntil })
  expect(again.body.changes).toEqual([])
  expect(await get()).toMatchObject({ body: { clients: [{ oldSecretUntil }] } })

  await db('clients')
    .where({ client_id: id })
    .update({ old_secret_until: new Date(Date.now() - 1) })
  expect(await signIns()).toEqual([second])
  expect(JSON.stringify((await get()).body)).not.toContain('oldSecretUntil')
})

test('the old secret ends when the time is taken out of the manifest, for good', async () => {
  const { putClient, signIns } = await aTenant()
  await putClient({ secret: second, oldSecretUntil: hours(24) })
  await putClient({})
  expect(await signIns()).toEqual([second])
  await putClient({ oldSecretUntil: hours(24) })
  expect(await signIns()).toEqual([second])
})

test('another new secret ends the first, and a time that is past is none', async () => {
  const { putClient, signIns } = await aTenant()
  await putClient({ secret: second, oldSecretUntil: hours(24) })
  await putClient({ secret: third, oldSecretUntil: hours(1) })
  expect(await signIns()).toEqual([second, third])
  const { body } = await putClient({ oldSecretUntil: hours(-1) })
  expect(body.changes).toMatchObject([{ change: 'deleted' }])
  expect(await signIns()).toEqual([third])
})

test('a time of more than 30 days ahead is refused', async () => {
  const { platform, path, id } = await aTenant()
  const clients = [{ id, scopes: ['FrameApi'], oldSecretUntil: hours(31 * 24) }]
  expect((await platform.put<Problem>(path, { clients })).body).toMatchObject({
    status: 400,
    errors: [{ pointer: '/clients/0/oldSecretUntil', code: 'not-allowed' }],
  })
})
