// What a tenant sees of its webhooks, and who may replay them.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { addPerson } from '../support/factories.js'
import { demoSubjects } from '../support/manifest.js'
import { type AllowedServer, allowedServer } from '../support/provider.js'
import { until } from '../support/until.js'

interface State {
  key: string
  state: string
  reason: string | null
  nextAttemptAt: string | null
  deliveredAt: string | null
}

let tenant: Tenant
let receiver: AllowedServer
const path = '/api/v1/webhooks'
beforeAll(async () => {
  receiver = await allowedServer()
  const secrets = [{ name: 'signing', value: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }]
  const webhooks = [{ key: 'hook', url: receiver.url, events: ['subject.created'], secrets: ['signing'] }]
  tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects, glue: { secrets, webhooks } })
})
afterAll(() => receiver.stop())

test('a tenant sees the state, the reason and the next attempt of its webhooks, and replays them', async () => {
  let status = 500
  receiver.answer((_, response) => void response.writeHead(status).end())
  const [viewer, editor] = await tenant.clients([['View:Webhook'], ['Edit:Webhook']])
  if (!viewer || !editor) throw new Error('no clients')
  await addPerson(tenant, 'ada')
  const failing = await until('a failure', async () => {
    const { body } = await viewer.get<State[]>(path)
    return body.find(({ state }) => state === 'failing')
  })
  expect(failing).toMatchObject({
    key: 'hook',
    reason: 'The receiver answered 500.',
    nextAttemptAt: expect.stringMatching(/^\d{4}-/),
  })
  expect((await viewer.post(`${path}/hook/replay`, {})).status).toBe(403)
  status = 204
  expect((await editor.post(`${path}/hook/replay`, {})).status).toBe(200)
  await until('the delivery', async () => (await viewer.get<State[]>(path)).body[0]?.deliveredAt)
})

test('webhooks of another tenant do not exist, and none are shown without the permission', async () => {
  const [nobody] = await tenant.clients([['Edit:Webhook']])
  expect((await nobody?.get(path))?.status).toBe(403)
  const other = await newTenant(inject('baseUrl'))
  expect(await other.get(path)).toMatchObject({ status: 200, body: [] })
  expect((await other.post(`${path}/hook/replay`, {})).status).toBe(404)
})
