// Refused rows, webhooks, providers, mails and jobs that do not go on wait for a human until their cause is gone.
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { newTenant } from '../support/api.js'
import { attentionOf, ownAttention } from '../support/attention.js'
import { refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { addPerson, addSubject, dataTenant, openDatabase, point, portalTenant } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { jobWithoutRun } from '../support/jobs.js'
import { demoSubjects } from '../support/manifest.js'
import { invite, uninvite } from '../support/portal.js'
import { type AllowedServer, allowedServer, unreliableProvider } from '../support/provider.js'
import { until } from '../support/until.js'

const db = openDatabase()
const minutes = (n: number) => n * 60_000
const before = (ms: number) => new Date(Date.now() - ms)

afterEach(() => {
  vi.useRealTimers()
})

test('refused rows wait until they are corrected, or the client imports again', async () => {
  const tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects })
  const csv = { 'content-type': 'text/csv' }
  const rows = (...ids: string[]) => ['nationalId,givenName,familyName', ...ids.map(id => `${id},A,B`), ''].join('\n')
  const imported = async (ids: string, query = '') => {
    const { body } = await tenant.post<JobBody>(`/api/v2/subject/import${query}`, rows(...ids), csv)
    return ended(tenant, body.jobId)
  }
  const first = await imported('11')
  expect(await attentionOf(tenant.tenantKey)).toEqual([
    {
      tenant: tenant.tenantKey,
      kind: 'refused-rows',
      subject: first.jobId,
      since: first.finishedAt,
      why: 'An import has refused one row.',
      nextStep: 'Read the refused rows with their reasons, correct them, and import them again.',
      action: { method: 'GET', path: `/api/v1/jobs/${first.jobId}/rejects` },
    },
  ])
  const second = await imported('222')
  expect(await ownAttention(tenant)).toMatchObject([{ subject: second.jobId, why: 'An import has refused 2 rows.' }])
  await imported('33', '?DryRun=true')
  expect(await ownAttention(tenant)).toMatchObject([{ subject: second.jobId }])
  const colleague = await tenant.client(['*'])
  const retry = await colleague.post<JobBody>(`/api/v1/jobs/${second.jobId}/retry`, rows('4'), csv)
  expect(await ended(tenant, retry.body.jobId)).toMatchObject({ status: 'Completed' })
  expect(await ownAttention(tenant)).toEqual([])
  const whole = await imported('55', '?Mode=all')
  expect(whole).toMatchObject({ status: 'Failed' })
  expect(await ownAttention(tenant)).toMatchObject([{ kind: 'refused-rows', subject: whole.jobId }])
  expect((await tenant.post(`/api/v1/jobs/${whole.jobId}/cancel`)).status).toBe(202)
  // Those of the import before are corrected already.
  expect(await ownAttention(tenant)).toEqual([])
})

test('a job that is not taken up, and one whose attempts fail, wait until they go on', async () => {
  const provider = await scriptedProvider()
  const tenant = await dataTenant(scriptedGlue(provider.url, { provider: { retrySeconds: 900 } }), ['ada'])
  const id = await tenantIdOf(db, tenant.tenantKey)
  const idle = await jobWithoutRun(db, id, 'subjectTransfer', 1)
  expect(await ownAttention(tenant)).toEqual([])
  const since = before(minutes(6))
  // A job that is said to have a run is not begun by the outbox.
  await db('jobs').where({ tenant_id: id, id: idle }).update({ accepted_at: since, started_at: new Date() })
  expect(await ownAttention(tenant)).toEqual([
    {
      tenant: tenant.tenantKey,
      kind: 'waiting-job',
      subject: 'subjectTransfer',
      since: since.toISOString(),
      why: 'One job of the kind subjectTransfer did not begin within five minutes.',
      nextStep: 'See whether workers run and have free slots, and whether Temporal answers.',
      action: { method: 'GET', path: '/api/v1/jobs?Kind=subjectTransfer&Status=Accepted&Status=Running' },
    },
  ])
  await tenant.post(`/api/v1/jobs/${idle}/cancel`)
  expect(await ownAttention(tenant)).toEqual([])

  provider.says(() => ({ status: 503 }))
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  const waits = async () => (await tenant.get<JobBody>(`/api/v1/jobs/${job.jobId}`)).body.waiting
  const waiting = await until('the refresh waits', waits)
  expect(await ownAttention(tenant)).toEqual([])
  const long = JSON.stringify({ ...waiting, since: before(minutes(16)).toISOString() })
  await db('jobs').where({ tenant_id: id, id: job.jobId }).update({ waiting: long })
  expect(await ownAttention(tenant)).toMatchObject([
    { kind: 'waiting-job', subject: 'dataSetRefresh', why: expect.stringContaining('Attempts have failed') },
  ])
  provider.says(() => ({ dataPoints: [point('a', 'ada')] }))
  expect(await ended(tenant, job.jobId, 90_000)).toMatchObject({ status: 'Completed' })
  expect(await ownAttention(tenant)).toEqual([])
  await provider.stop()
})

let receiver: AllowedServer
let status = 204
beforeAll(async () => {
  receiver = await allowedServer()
  receiver.answer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end())
  })
})
afterAll(() => receiver.stop())

test('a webhook that has stopped or fails for long waits until its events arrive', async () => {
  const secrets = [{ name: 's', value: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }]
  const webhooks = [{ key: 'hook', url: receiver.url, events: ['subject.created'], secrets: ['s'] }]
  const tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects, glue: { secrets, webhooks } })
  const id = await tenantIdOf(db, tenant.tenantKey)
  const state = async () => (await db('webhooks').where({ tenant_id: id }).first('state')).state
  status = 500
  await addPerson(tenant, '1')
  await expect.poll(state, { timeout: 20_000 }).toBe('failing')
  expect(await ownAttention(tenant)).toEqual([])
  const since = before(minutes(16))
  await db('events').where({ tenant_id: id }).update({ numbered_at: since })
  expect(await ownAttention(tenant)).toEqual([
    {
      tenant: tenant.tenantKey,
      kind: 'webhook',
      subject: 'hook',
      since: since.toISOString(),
      why: "The webhook 'hook' has not taken an event for over a quarter of an hour. The receiver answered 500.",
      nextStep: 'Have the receiver corrected. Events are sent again by themselves, or at once by a replay.',
      action: { method: 'POST', path: '/api/v1/webhooks/hook/replay' },
    },
  ])
  status = 410
  await tenant.post('/api/v1/webhooks/hook/replay', {})
  await expect.poll(state, { timeout: 20_000 }).toBe('stopped')
  expect(await attentionOf(tenant.tenantKey)).toMatchObject([
    { why: "Nothing more is sent to the webhook 'hook'. The receiver answered 410: it unsubscribed." },
  ])
  status = 204
  await tenant.post('/api/v1/webhooks/hook/replay', {})
  await expect.poll(() => ownAttention(tenant), { timeout: 20_000 }).toEqual([])
})

test('a provider that does not answer waits until it does, from its first failure on', async () => {
  const glue = { providers: [{ key: 'one', url: 'https://provider.example' }] }
  const tenant = await newTenant(inject('baseUrl'), {}, { glue })
  const provider = await unreliableProvider({ tenant: await tenantIdOf(db, tenant.tenantKey) })
  await db('worker_heartbeats').insert({ worker: provider.process, queue: 'test', build: '', seen_at: new Date() })
  await provider.failsTimes(5)
  await expect.poll(() => ownAttention(tenant)).toMatchObject([{ kind: 'provider', subject: 'one', action: null }])
  const [open] = await ownAttention(tenant)
  expect(open?.why).toBe("The provider 'one' fails (status 503), and is called only now and then.")
  const circuit = () => db('glue_circuits').where({ process: provider.process })
  const openedAt = async () => (await circuit().where({ state: 'open' }).first())?.changed_at.getTime()
  const first = await openedAt()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
  await provider.fails()
  await until('it is open again', async () => ((await openedAt()) ?? first) !== first)
  expect(await ownAttention(tenant)).toEqual([open])
  // A process that has not called the provider for an hour says nothing of it.
  await circuit().update({ changed_at: before(minutes(61)) })
  expect(await ownAttention(tenant)).toEqual([])
  await circuit().update({ changed_at: new Date() })
  vi.setSystemTime(Date.now() + 60_000)
  provider.answers(200)
  await provider.call()
  await expect.poll(() => ownAttention(tenant)).toEqual([])
  await provider.stop()
})

test('a mail that was refused waits as long as the person is invited, and the row does not name it', async () => {
  const tenant = await portalTenant(inject('baseUrl'))
  const subject = await addSubject(tenant)
  const invited = await tenant.post(invite(subject), ['ben@example.org'])
  const job = await ended(tenant, invited.headers.get('location')?.split('/').at(-1) ?? '')
  // Without a mail server it is kept, which is no failure.
  expect(await ownAttention(tenant)).toEqual([])
  const id = await tenantIdOf(db, tenant.tenantKey)
  await db('portal_mails').where({ tenant_id: id }).update({ state: 'failed', reason: 'SMTP 550 at RCPT TO' })
  const found = await attentionOf(tenant.tenantKey)
  expect(found).toMatchObject([{ kind: 'mail', since: job.finishedAt, action: null }])
  expect(found[0]?.why).toBe('The mail of an invitation to the portal was refused for good (SMTP 550 at RCPT TO).')
  for (const personal of ['ben@example.org', subject, 'Lovelace']) expect(JSON.stringify(found)).not.toContain(personal)
  await tenant.delete(uninvite(subject, 'ben@example.org'))
  expect(await ownAttention(tenant)).toEqual([])
})
