// Webhooks whose receivers fail now and then, or for some subjects.
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { newId } from '../../runtime/ids.js'
import { webhookRunId } from '../../workflows/glue/contracts.js'
import { type Api, admin, newTenant, type Tenant } from '../support/api.js'
import { addPerson, openDatabase } from '../support/factories.js'
import { openTemporal } from '../support/jobs.js'
import { demoSubjects } from '../support/manifest.js'
import { type AllowedServer, allowedServer } from '../support/provider.js'
import { until } from '../support/until.js'

interface Event {
  id: string
  type: string
  subject: string
}
interface State {
  state: string
  failures: number
  reason: string | null
  nextAttemptAt: string | null
}

let receiver: AllowedServer
let platform: Api
/** Decides whether a call is answered with 500. */
let fails: (event: Event) => boolean = () => false
/** Every call, with whether it arrived. */
const calls: { event: Event; arrived: boolean }[] = []

beforeAll(async () => {
  receiver = await allowedServer()
  receiver.answer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const event: Event = JSON.parse(text)
    const arrived = !fails(event)
    calls.push({ event, arrived })
    response.writeHead(arrived ? 204 : 500).end()
  })
  platform = await admin(inject('baseUrl'))
})
afterAll(() => receiver.stop())
beforeEach(() => {
  calls.length = 0
  fails = () => false
})
const db = openDatabase()
const temporal = await openTemporal()

const glueOf = (events: string[]) => ({
  secrets: [{ name: 's', value: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }],
  webhooks: [{ key: 'hook', url: receiver.url, events, secrets: ['s'] }],
})

async function hookedTenant(): Promise<Tenant & { shown(): Promise<State | undefined> }> {
  const glue = glueOf(['subject.created', 'subject.updated', 'subject.deactivated'])
  const tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects, glue })
  const path = `/admin/v1/tenants/${tenant.tenantKey}/webhooks`
  return { ...tenant, shown: async () => (await platform.get<State[]>(path)).body[0] }
}

/** Writes changes of so many subjects, three of each, in the order of their kinds. */
async function changeMany({ tenantKey }: Tenant, subjects: number): Promise<string[]> {
  const { id: tenant_id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  const ids = Array.from({ length: subjects }, () => newId())
  const rows = ['created', 'updated', 'deactivated'].flatMap(kind =>
    ids.map(source => ({ tenant_id, feed: 'subject', source, kind, changed_at: new Date() })),
  )
  await db('events_unnumbered').insert(rows)
  return ids
}

const arrived = () => calls.filter(call => call.arrived).map(({ event }) => event)

test('a receiver that fails three calls in ten gets each event once, those of a subject in order', async () => {
  const tenant = await hookedTenant()
  let n = 0
  // No event fails more than twice: the wait of a subject doubles with each failure.
  const failures = (id: string) => calls.filter(call => call.event.id === id).length
  fails = ({ id }) => [0, 3, 7].includes(n++ % 10) && failures(id) < 2
  const ids = await changeMany(tenant, 100)
  await until('all events', async () => arrived().length >= 300)
  expect(new Set(arrived().map(({ id }) => id)).size).toBe(300)
  expect(arrived()).toHaveLength(300)
  for (const id of ids)
    expect(arrived().flatMap(({ subject, type }) => (subject === id ? [type.split('.').at(-1)] : []))).toEqual([
      'created',
      'updated',
      'deactivated',
    ])
  await until('nothing is left', async () => (await tenant.shown())?.state === 'active')
  expect(await tenant.shown()).toMatchObject({ failures: 0, reason: null, nextAttemptAt: null })
})

test('a subject whose events never arrive holds up nobody else, and its later events come after the first', async () => {
  const tenant = await hookedTenant()
  const odd = await addPerson(tenant, 'odd')
  fails = ({ subject }) => subject === odd
  await addPerson(tenant, 'odd', { email: 'odd@example.org' })
  await until('it has failed twice', async () => calls.filter(({ arrived }) => !arrived).length > 1)
  expect(await tenant.shown()).toMatchObject({ state: 'failing', reason: 'The receiver answered 500.' })
  expect((await tenant.shown())?.nextAttemptAt).not.toBeNull()
  for (const name of ['a', 'b', 'c']) {
    const id = await addPerson(tenant, name)
    await until('the other event', async () => arrived().some(({ subject }) => subject === id))
  }
  fails = () => false
  await until('nothing is left', async () => (await tenant.shown())?.state === 'active')
  const ofOdd = arrived().flatMap(({ subject, type }) => (subject === odd ? [type] : []))
  expect(ofOdd.at(-1)).toBe('armature.subject.updated')
})

test('a webhook that has stopped for an event that was deleted goes on after a replay', async () => {
  const tenant = await hookedTenant()
  fails = () => true
  const odd = await addPerson(tenant, 'odd')
  fails = ({ subject }) => subject === odd
  await addPerson(tenant, 'odd', { email: 'odd@example.org' })
  // As the retention does after 30 days, when both events have their positions in the feed.
  await until('both wait for another attempt', async () => {
    const waiting = db('webhook_retries as r').join('events as e', { 'e.tenant_id': 'r.tenant_id', 'e.feed': 'r.feed' })
    return (await waiting.where('e.source', odd).whereRaw('e.position = r.position')).length === 2
  })
  await db('events').where({ feed: 'subject', source: odd }).delete()
  await until('it has stopped', async () => (await tenant.shown())?.state === 'stopped')
  const path = `/admin/v1/tenants/${tenant.tenantKey}/webhooks/hook/replay`
  // Also by a clock that is ahead, of which nothing comes for a year.
  const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString()
  expect((await platform.post(path, { from: nextYear })).status).toBe(200)
  const later = await addPerson(tenant, 'later')
  await until('a later event', async () => arrived().some(({ subject }) => subject === later))
  await until('nothing is left', async () => (await tenant.shown())?.state === 'active')
})

test('what waits for another attempt is not sent if the manifest no longer names its kind', async () => {
  const tenant = await hookedTenant()
  const odd = await addPerson(tenant, 'odd')
  await until('the first event', async () => arrived().length > 0)
  fails = ({ subject }) => subject === odd
  await addPerson(tenant, 'odd', { email: 'odd@example.org' })
  await until('it waits for another attempt', async () => (await tenant.shown())?.state === 'failing')
  await tenant.change({ glue: glueOf(['subject.created']) })
  await until('nothing is left', async () => (await tenant.shown())?.state === 'active')
  expect(arrived().flatMap(({ subject, type }) => (subject === odd ? [type] : []))).toEqual([
    'armature.subject.created',
  ])
})

test('each webhook has a run of its own, which tells what it has sent', async () => {
  const tenant = await hookedTenant()
  await addPerson(tenant, 'ada')
  await until('the event', async () => arrived().length > 0)
  const handle = temporal.workflow.getHandle(webhookRunId({ tenantKey: tenant.tenantKey, webhookKey: 'hook' }))
  const description = await handle.describe()
  expect(description).toMatchObject({ type: 'webhook', status: { name: 'RUNNING' } })
  await tenant.change({ glue: {} })
  await handle.signal('events')
  expect(await handle.result()).toEqual({ sent: 1 })
})
