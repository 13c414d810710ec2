// Webhooks: a real receiver gets signed events, and operators see why it gets none.
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { newId } from '../../runtime/ids.js'
import { type Api, admin, newTenant, type Tenant } from '../support/api.js'
import { addPerson, openDatabase } from '../support/factories.js'
import { demoSubjects, manifestOf } from '../support/manifest.js'
import { type AllowedServer, allowedServer } from '../support/provider.js'
import { until } from '../support/until.js'

interface Received {
  id: string
  timestamp: string
  signatures: string[]
  text: string
  event: { type: string; subject: string; id: string; source: string }
}
interface State {
  key: string
  state: string
  reason: string | null
}

const bytes = { old: Buffer.alloc(32, 1), fresh: Buffer.alloc(32, 2) }
const secret = (name: 'old' | 'fresh') => ({ name, value: `whsec_${bytes[name].toString('base64')}` })
const received: Received[] = []
/** Calls that get no answer. */
const hanging = new Set<ServerResponse>()
/** How many of them have ended. */
let hungUp = 0
let status = 204
/** Answers wait for it. */
let door = Promise.resolve()
let tenant: Tenant
let platform: Api
let receiver: AllowedServer
let path: string

beforeAll(async () => {
  receiver = await allowedServer()
  receiver.answer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (request.url === '/hang') {
      hanging.add(response.on('close', () => hanging.delete(response) && hungUp++))
      return
    }
    if (status === 204) {
      const header = (name: string) => String(request.headers[name])
      const signatures = header('webhook-signature').split(' ')
      const event = JSON.parse(text)
      received.push({ id: header('webhook-id'), timestamp: header('webhook-timestamp'), signatures, text, event })
    }
    await door
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
  })
  platform = await admin(inject('baseUrl'))
  const hook = { key: 'hook', url: `${receiver.url}/events`, events: ['subject.created', 'subject.updated'] }
  const glue = { secrets: [secret('old'), secret('fresh')], webhooks: [{ ...hook, secrets: ['old', 'fresh'] }] }
  tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects, glue })
  path = `/admin/v1/tenants/${tenant.tenantKey}/webhooks`
})
const db = openDatabase()
afterAll(() => receiver.stop())

const events = (count: number) => until(`${count} events`, async () => received.length >= count && received)
const state = async () => (await platform.get<State[]>(path)).body[0]
const replay = (from?: string) => platform.post<State[]>(`${path}/hook/replay`, from ? { from } : {})
const kinds = (id: string) => received.filter(({ event }) => event.subject === id).map(({ event }) => event.type)

test('events of a subject come in their order, signed with each secret, without values', async () => {
  const id = await addPerson(tenant, 'ada')
  await addPerson(tenant, 'ada', { email: 'x@example.org' })
  const [first] = await events(2)
  expect(kinds(id)).toEqual(['armature.subject.created', 'armature.subject.updated'])
  expect(first?.event).toMatchObject({ source: `/tenants/${tenant.tenantKey}`, id: first?.id })
  const sign = (key: Buffer) =>
    `v1,${createHmac('sha256', key).update(`${first?.id}.${first?.timestamp}.${first?.text}`).digest('base64')}`
  expect(first?.signatures).toEqual([sign(bytes.old), sign(bytes.fresh)])
  expect(JSON.stringify(received)).not.toContain('x@example.org')
})

test('changes from long before the subscription that nobody has read are not sent', async () => {
  const before = received.length
  const longAgo = { tenant_id: await tenantIdOf(db, tenant.tenantKey), changed_at: new Date(Date.now() - 3_600_000) }
  await db('events_unnumbered').insert({ ...longAgo, feed: 'subject', source: newId(), kind: 'created' })
  const id = await addPerson(tenant, 'new')
  await events(before + 1)
  expect(received.slice(before).map(({ event }) => event.subject)).toEqual([id])
})

test.each([
  [500, 'The receiver answered 500.'],
  [302, 'The receiver redirects (302), which is not followed.'],
])('a receiver that answers %i is failing with the reason, and gets all once it is well', async (answer, reason) => {
  status = answer
  const before = received.length
  const id = await addPerson(tenant, `answer-${answer}`)
  await until('a failure', async () => (await state())?.state === 'failing')
  expect(await state()).toMatchObject({ key: 'hook', reason })
  status = 204
  await replay()
  await events(before + 1)
  expect(kinds(id)).toEqual(['armature.subject.created'])
})

test('a receiver that answers 410 is unsubscribed until a replay, which sends events since a moment again', async () => {
  const moment = new Date().toISOString()
  status = 410
  const id = await addPerson(tenant, 'gone')
  await until('the stop', async () => (await state())?.state === 'stopped')
  expect(await state()).toMatchObject({ reason: 'The receiver answered 410: it unsubscribed.' })
  status = 204
  await replay(moment)
  await until('the event', async () => kinds(id).length > 0)
  // It may come more than once without a replay, too.
  const before = kinds(id).length
  await replay(moment)
  await until('the event again', async () => kinds(id).length > before)
  const all = received.filter(({ event }) => event.subject === id)
  expect(new Set(all.map(each => each.id)).size).toBe(1)
})

test('a replay while an event is being sent sends that event again', async () => {
  const moment = new Date().toISOString()
  const answers: (() => void)[] = []
  door = new Promise<void>(resolve => answers.push(resolve))
  const id = await addPerson(tenant, 'on-its-way')
  await until('the event', async () => kinds(id).length === 1)
  await replay(moment)
  for (const answer of answers) answer()
  await until('the event again', async () => kinds(id).length === 2)
})

test('a receiver at an address that is not public gets nothing, and the state names the rule', async () => {
  const glue = {
    secrets: [secret('old')],
    webhooks: [{ key: 'inside', url: 'https://10.255.255.1/x', events: ['subject.created'], secrets: ['old'] }],
  }
  const own = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects, glue })
  await addPerson(own, 'ada')
  const path = `/admin/v1/tenants/${own.tenantKey}/webhooks`
  const shown = async () => (await platform.get<State[]>(path)).body[0]
  await until('the failure', async () => (await shown())?.state === 'failing')
  expect((await shown())?.reason).toContain('is no public address')
  await own.change({ glue: {} })
})

test('receivers of other tenants that hang hold up no event', async () => {
  const hooks = Array.from({ length: 50 }, (_, n) => `hang-${n}`).map(key => ({
    ...{ key, url: `${receiver.url}/hang`, events: ['subject.created'], secrets: ['old'] },
  }))
  const busy = await Promise.all([1, 2, 3, 4].map(() => manifestOf()))
  const glue = { secrets: [secret('old')], webhooks: hooks }
  for (const { put, tenantKey } of busy) {
    expect((await put({ key: tenantKey, name: 'T', subjects: demoSubjects, glue })).status).toBe(200)
    const tenant_id = await tenantIdOf(db, tenantKey)
    await db('events_unnumbered').insert({
      ...{ tenant_id, changed_at: new Date(), feed: 'subject', source: newId(), kind: 'created' },
    })
  }
  await until('calls that hang', async () => hanging.size >= 40)
  const before = received.length
  const id = await addPerson(tenant, 'beside')
  await events(before + 1)
  expect(kinds(id)).toEqual(['armature.subject.created'])
  // However slow the machine is, it did not wait until each of the 200 calls had come and ended.
  expect(hungUp).toBeLessThan(200)

  // Without their subscriptions the tenants call nobody beside the tests to come.
  for (const { put, tenantKey } of busy) await put({ key: tenantKey, name: 'T', subjects: demoSubjects })
  const states = await Promise.all(busy.map(({ tenantKey }) => platform.get(`/admin/v1/tenants/${tenantKey}/webhooks`)))
  expect(states.map(({ body }) => body)).toEqual([[], [], [], []])
  for (const call of hanging) call.destroy()
})

test('a secret that no webhook can sign with is refused when it is given, without its value', async () => {
  const { put, tenantKey } = await manifestOf()
  const webhooks = [{ key: 'w', url: 'https://a.example', events: ['subject.moved'], secrets: ['plain', 'short'] }]
  const secrets = [
    { name: 'other', value: 'of no webhook' },
    { name: 'plain', value: 'hunter2-hunter2-hunter2-hunter2' },
    { name: 'short', value: `whsec_${Buffer.alloc(23, 1).toString('base64')}` },
  ]
  const { status, body } = await put({ key: tenantKey, name: 'T', glue: { secrets, webhooks } })
  const wrong = (n: number) => ({ code: 'wrong-format', pointer: `/glue/secrets/${n}/value` })
  expect([status, body]).toMatchObject([400, { errors: [wrong(1), wrong(2)] }])
  expect(JSON.stringify(body)).not.toContain('hunter2')
})

test('a webhook names secrets that exist, and a replay a webhook that exists', async () => {
  const { put, tenantKey } = await manifestOf()
  const webhooks = [{ key: 'w', url: 'https://a.example', events: ['subject.moved'], secrets: ['none'] }]
  const { status: refused, body } = await put({ key: tenantKey, name: 'T', glue: { webhooks } })
  expect([refused, body]).toMatchObject([400, { errors: [{ code: 'unknown-secret' }] }])
  expect((await platform.post(`${path}/none/replay`, {})).status).toBe(404)
})
