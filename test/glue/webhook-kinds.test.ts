// Events of entities, jobs and forms.
import { text } from 'node:stream/consumers'
import { Compile } from 'typebox/schema'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { isWatched } from '../../db/events.js'
import { feeds } from '../../db/feeds.js'
import { createJob } from '../../db/jobs/create.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { newId } from '../../runtime/ids.js'
import { admin, api } from '../support/api.js'
import { aNote, anEntity, aType, type FormsTenant, formsTenant, openDatabase, whole } from '../support/factories.js'
import { acceptBulk, ended } from '../support/faults.js'
import { paths, put } from '../support/frame.js'
import { patientOf } from '../support/instances.js'
import { holdHierarchy } from '../support/jobs.js'
import { type AllowedServer, allowedServer } from '../support/provider.js'
import { until } from '../support/until.js'

const db = openDatabase()
let receiver: AllowedServer
let tenant: FormsTenant
/** By subject of the event: its kinds in their order, each event once. */
const received = new Map<string, string[]>()
const texts: string[] = []
const headersSeen = new Set<string>()

const secrets = [{ name: 's', value: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }]
const hook = (...events: string[]) => ({
  secrets,
  webhooks: [{ key: 'hook', url: receiver.url, events, secrets: ['s'] }],
})
const all = Object.entries(feeds).flatMap(([feed, kinds]) => kinds.map(kind => `${feed}.${kind}`))

/** The parts of the API description that events have. */
interface Description {
  webhooks: {
    event: {
      post: {
        parameters: { name: string }[]
        requestBody: { content: { 'application/cloudevents+json': { schema: object } } }
      }
    }
  }
  components: { schemas: object }
}

beforeAll(async () => {
  receiver = await allowedServer()
  const seen = new Set<string>()
  receiver.answer(async (request, response) => {
    const body = await text(request)
    const { id, type, subject } = JSON.parse(body)
    texts.push(body)
    for (const name of Object.keys(request.headers)) headersSeen.add(name)
    if (!seen.has(id)) received.set(subject, [...(received.get(subject) ?? []), type.replace('armature.', '')])
    seen.add(id)
    response.writeHead(204).end()
  })
  tenant = await formsTenant()
  await put(tenant, paths.types, aType('unit'), aType('other'))
  await put(tenant, paths.entities, anEntity('before'))
  // Gives the change its position, behind which the webhook begins.
  await tenant.get('/api/v1/changes/structuralEntity?FromNow=true')
  await tenant.publish(aNote())
  await tenant.change({ glue: hook(...all) })
})
afterAll(() => receiver.stop())

/** The kinds of an entity's, a job's or an instance's events, once the last of them has arrived. */
const kindsOf = (of: string, count: number) =>
  until(`${count} events of ${of}`, async () => {
    const kinds = received.get(of) ?? []
    return kinds.length >= count && kinds
  })

test('a change of an entity is an event of its kind, and a write that changes nothing is none', async () => {
  await put(tenant, paths.entities, anEntity('top'), anEntity('ward'), anEntity('ward'))
  await put(tenant, paths.entities, anEntity('ward', { ParentKey: 'top' }))
  await put(tenant, paths.entities, anEntity('ward', { ParentKey: 'top', DisplayName: 'Höhe' }))
  await put(tenant, `${paths.entities}/bulk`, [
    anEntity('ward', { StructureTypeKey: 'other' }),
    anEntity('top'),
    anEntity('bed', { ParentKey: 'ward' }),
  ])
  expect((await tenant.delete(`${paths.entities}/bed`)).status).toBe(204)
  expect(await kindsOf('ward', 5)).toEqual(
    ['created', 'moved', 'updated', 'moved', 'updated'].map(kind => `entity.${kind}`),
  )
  expect(await kindsOf('bed', 2)).toEqual(['entity.created', 'entity.deleted'])
  expect([received.get('top'), received.get('before')]).toEqual([['entity.created'], undefined])
  expect(texts.join()).not.toContain('Höhe')
})

test('a job is an event when it is completed, failed or cancelled, also after a retry', async () => {
  const held = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const failed = await acceptBulk(tenant, [anEntity('child', { ParentKey: 'before' })])
  await held.remove('before')
  await held.release()
  expect(await ended(tenant, failed.jobId)).toMatchObject({ status: 'Failed' })
  expect(await kindsOf(failed.jobId, 1)).toEqual(['job.failed'])

  await put(tenant, paths.entities, anEntity('before'))
  expect((await tenant.post(`${failed.links.self}/retry`)).status).toBe(202)
  expect(await kindsOf(failed.jobId, 2)).toEqual(['job.failed', 'job.completed'])
  expect(await kindsOf('child', 1)).toEqual(['entity.created'])

  const id = newId()
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const work = {
    kind: 'subjectTransfer',
    queue: 'background',
    actor: 'a',
    workflowId: id,
    traceId: id,
    total: 1,
  } as const
  await db.transaction(trx => createJob(trx, tenantId, { id, ...work }))
  expect(await jobStore(db, tenantId).cancel(id)).toBe(true)
  expect(await jobStore(db, tenantId).cancel(id)).toBe(false)
  expect(await kindsOf(id, 1)).toEqual(['job.cancelled'])
})

test('each step of a form instance is an event except a saved draft, and its erasure is the last', async () => {
  const patient = patientOf(tenant)
  const id = await patient.created()
  for (const step of [
    () => patient.save(id, { note: 'secret note' }, '*'),
    () => patient.submit(id, whole, '*'),
    () => patient.amend(id, '*'),
    () => patient.discard(id, '*'),
    () => patient.withdraw(id),
    () => patient.withdraw(id),
    () => patient.reinstate(id),
  ])
    expect((await step()).status).toBeLessThan(300)
  const steps = ['created', 'completed', 'amended', 'discarded', 'withdrawn', 'reinstated']
  expect(await kindsOf(id, steps.length)).toEqual(steps.map(step => `form.${step}`))
  expect((await tenant.post(`/api/v2/subject/${tenant.subjectId}/erase`)).status).toBe(202)
  expect((await kindsOf(id, steps.length + 1)).at(-1)).toBe('form.erased')
  expect(texts.join()).not.toContain('secret note')
})

test('each kind of event goes to the webhooks that name it, and those of jobs and forms are stored for these only', async () => {
  const other = await formsTenant()
  const tenant_id = await tenantIdOf(db, other.tenantKey)
  // Changes of jobs and forms have rows only where a webhook takes them.
  const rowsOf = (table: string) => db(table).where({ tenant_id }).whereIn('feed', ['job', 'form']).pluck('source')
  const rows = async () => [...(await rowsOf('events_unnumbered')), ...(await rowsOf('events'))]
  await put(other, paths.types, aType('unit'))
  const bulk = `${paths.entities}/bulk`
  await put(other, bulk, [anEntity('unwatched')])
  expect(await rows()).toEqual([])
  await other.change({ glue: hook('entity.deleted') })
  await put(other, paths.entities, anEntity('watched'))
  await other.delete(`${paths.entities}/unwatched`)
  expect(await kindsOf('unwatched', 1)).toEqual(['entity.deleted'])
  expect(received.has('watched')).toBe(false)
  await other.change({ glue: {} })
  const before = await rows()
  await put(other, bulk, [anEntity('unwatched again')])
  expect(await rows()).toEqual(before)
})

test('a new webhook waits for writers under way, so that whatever they write without an event can be read afterwards', async () => {
  const other = await formsTenant()
  const tenantId = await tenantIdOf(db, other.tenantKey)
  const writer = await db.transaction()
  expect(await isWatched(writer, tenantId, 'job')).toBe(false)
  let isApplied = false
  const applied = other.change({ glue: hook('job.completed') }).finally(() => {
    isApplied = true
  })
  const waits = async () => {
    const [rows] = await db.raw(
      "SELECT 1 FROM information_schema.processlist WHERE info LIKE 'INSERT INTO %webhook_feeds%' LIMIT 1",
    )
    return rows.length > 0 || isApplied
  }
  await until('the manifest waits', waits)
  expect(isApplied).toBe(false)
  await writer.commit()
  await applied
  expect(await db.transaction(trx => isWatched(trx, tenantId, 'job'))).toBe(true)
})

test('a replay sends the events of every feed since a moment again', async () => {
  const platform = await admin(inject('baseUrl'))
  const moment = new Date()
  await put(tenant, paths.entities, anEntity('again'))
  await kindsOf('again', 1)
  const count = texts.length
  const path = `/admin/v1/tenants/${tenant.tenantKey}/webhooks`
  expect((await platform.post(`${path}/hook/replay`, { from: moment.toISOString() })).status).toBe(200)
  await until('the event again', async () => texts.slice(count).some(body => JSON.parse(body).subject === 'again'))
  expect((await platform.get(path)).body).toMatchObject([
    { key: 'hook', state: 'active', deliveredAt: expect.any(String) },
  ])
})

test('events match their schema in the API description', async () => {
  const { webhooks, components } = (await api(inject('baseUrl'), '').get<Description>('/openapi.json')).body
  const { parameters, requestBody } = webhooks.event.post
  expect([...headersSeen]).toEqual(expect.arrayContaining(parameters.map(({ name }) => name)))
  const { schema } = requestBody.content['application/cloudevents+json']
  const whole = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll('#/components/schemas/', '#/$defs/')
  // All kinds of this release; a later one may add some.
  const check = Compile(JSON.parse(whole.replaceAll('"x-extensible-enum":', '"enum":')))
  expect(texts.length).toBeGreaterThan(10)
  for (const text of texts) expect([text, check.Errors(JSON.parse(text))]).toEqual([text, [true, []]])
})
