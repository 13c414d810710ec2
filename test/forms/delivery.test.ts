// Deliveries of single-pass forms.
import { afterAll, expect, test } from 'vitest'
import type { Api } from '../support/api.js'
import { type DeliveryEndpoint, deliveryEndpoint } from '../support/deliveries.js'
import { aSmallTemplate, type LaunchTenant, launchTenant, openDatabase } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { forgetNow, openTemporal } from '../support/jobs.js'
import { form, page, referenceOf } from '../support/launches.js'
import { until } from '../support/until.js'

// Each test has a tenant and an endpoint of its own, and waits for retries: they wait at the same time.
const note = aSmallTemplate([{ id: 'note', label: 'Note', required: true }])

const db = openDatabase()
const operator = await openTemporal()
const endpoints: DeliveryEndpoint[] = []
afterAll(() => Promise.all(endpoints.map(endpoint => endpoint.stop())))

/** A tenant that says in its manifest where its form goes. */
async function tenantTo(forms: (endpoint: DeliveryEndpoint) => object, glue: (origin: string) => object = () => ({})) {
  const tenant = await launchTenant([note])
  endpoints.push(tenant.endpoint)
  await tenant.change({ glue: glue(tenant.endpoint.origin), forms: forms(tenant.endpoint) })
  return tenant
}

/** Sends the form. @returns its reference and its job. */
async function sent(tenant: LaunchTenant, text = 'x') {
  const answer = await page(tenant.path('small', 1), form(['note', text]))
  expect(answer.status).toBe(303)
  const reference = referenceOf(answer)
  const { id } = await db('jobs').where({ idempotency_key: reference }).first('id')
  return { reference, jobId: String(id) }
}

const left = async (jobId: string) => (await db('form_deliveries').where({ job_id: jobId })).length
const job = async (api: Api, jobId: string) => (await api.get<JobBody>(`/api/v1/jobs/${jobId}`)).body
const act = (api: Api, jobId: string, what: 'retry' | 'cancel') => api.post(`/api/v1/jobs/${jobId}/${what}`)

test.concurrent('the job of a form names the form without its content, which is deleted when the form has arrived', async () => {
  const tenant = await tenantTo(({ url }) => ({ delivery: { url: `${url}?of=wards` } }))
  const { reference, jobId } = await sent(tenant)
  const { headers, path, xml } = await tenant.endpoint.of(reference)
  expect([path, headers.accept, headers.authorization]).toEqual(['/forms?of=wards', undefined, undefined])
  expect(xml).toBe(
    `<?xml version="1.0" encoding="UTF-8"?><PatientForm transaction-id="${reference}"><preamble templateId="small" templateVersion="1"/><small><only><note>x</note></only></small></PatientForm>`,
  )
  expect(await ended(tenant, jobId)).toMatchObject({
    kind: 'singlePassDelivery',
    status: 'Completed',
    actor: 'single pass',
    input: { formKey: 'small', formVersion: 1 },
    progress: { done: 1, total: 1 },
    counts: { delivered: 1 },
  })
  expect(await left(jobId)).toBe(0)
})

test.concurrent('a receiver learns form, version and time of submission; a form may have a receiver of its own', async () => {
  const own = await deliveryEndpoint()
  endpoints.push(own)
  const tenant = await tenantTo(({ url }) => ({ delivery: { url, forms: [{ key: 'other', url: own.url }] } }))
  await tenant.publish({ ...note, key: 'other', version: 3 })
  const toOwn = referenceOf(await page(tenant.path('other', 3), form(['note', 'x'])))
  const toAll = await sent(tenant)
  const told = ({ headers }: { headers: Record<string, unknown> }) =>
    ['form-key', 'form-version', 'form-submitted-at'].map(name => headers[name])
  expect(told(await own.of(toOwn))).toEqual(['other', '3', expect.any(String)])
  const arrived = await tenant.endpoint.of(toAll.reference)
  const { acceptedAt } = await job(tenant, toAll.jobId)
  expect(told(arrived)).toEqual(['small', '1', acceptedAt])
  expect([own.tried.length, tenant.endpoint.tried.length]).toEqual([1, 1])
})

test.concurrent.each([
  ['without limits', {}],
  ['with limits, through its own queue', { limits: { concurrency: 1 } }],
])('through a provider %s its credentials, variables and secrets are used', async (_, limits) => {
  const tenant = await tenantTo(
    () => ({
      delivery: {
        provider: 'registry',
        url: '/forms/{{ variables.ward }}',
        headers: { 'X-Key': '{{ variables.key }}', 'X-Empty': '{{ variables.none }}' },
      },
    }),
    origin => ({
      variables: { ward: 'east', none: '' },
      secrets: [{ name: 'key', value: 'a secret of the endpoint', hosts: [new URL(origin).host] }],
      providers: [{ key: 'registry', url: `${origin}/in`, ...limits }],
    }),
  )
  const { reference, jobId } = await sent(tenant)
  const { headers, path } = await tenant.endpoint.of(reference)
  expect([path, headers['x-key'], headers['x-empty']]).toEqual([
    '/in/forms/east',
    'a secret of the endpoint',
    undefined,
  ])
  expect((await ended(tenant, jobId)).status).toBe('Completed')
})

test.concurrent('an endpoint that is away is tried again under the same key until it has the form, and not before it says', async () => {
  const tenant = await tenantTo(({ url }) => ({ delivery: { url } }))
  const told = [503, 425, { status: 429, headers: { 'retry-after': '2' } }]
  const times: number[] = []
  tenant.endpoint.answers(nth => {
    times.push(Date.now())
    return told[nth - 1] ?? 202
  })
  const { reference, jobId } = await sent(tenant)
  await tenant.endpoint.of(reference)
  expect((await ended(tenant, jobId)).status).toBe('Completed')
  expect(tenant.endpoint.tried.map(({ key }) => key)).toEqual(Array(4).fill(reference))
  expect(new Set(tenant.endpoint.tried.map(({ xml }) => xml)).size).toBe(1)
  expect((times[3] ?? 0) - (times[2] ?? 0)).toBeGreaterThanOrEqual(1_900)
  expect(await left(jobId)).toBe(0)
})

test.concurrent.each([
  ['404', 404, 'The endpoint answered 404.'],
  [
    'a redirect, which is followed nowhere',
    { status: 302, headers: { location: '/login' } },
    'The endpoint answered 302.',
  ],
])(
  'an endpoint that refuses a form with %s: its job fails and keeps it, and a retry goes on',
  async (_, told, detail) => {
    const tenant = await tenantTo(({ url }) => ({ delivery: { url } }))
    tenant.endpoint.answers(told)
    const { reference, jobId } = await sent(tenant)
    expect(await ended(tenant, jobId)).toMatchObject({
      status: 'Failed',
      problem: { type: '/problems/delivery-refused', status: 502, detail: expect.stringContaining(detail) },
    })
    expect([await left(jobId), tenant.endpoint.tried.length]).toEqual([1, 1])
    tenant.endpoint.answers(201)
    expect((await act(tenant, jobId, 'retry')).status).toBe(202)
    await tenant.endpoint.of(reference)
    expect((await ended(tenant, jobId)).status).toBe('Completed')
    expect(await left(jobId)).toBe(0)
  },
)

test.concurrent('the manifest at the time of sending decides where a form goes', async () => {
  const tenant = await tenantTo(({ url }) => ({ delivery: { url } }))
  const other = await deliveryEndpoint()
  endpoints.push(other)
  tenant.endpoint.answers(503)
  const { reference, jobId } = await sent(tenant)
  await until('the first one is tried', async () => tenant.endpoint.tried.length > 0)
  const providers = [{ key: 'other', url: other.url }]
  const glue = { providers, variables: { place: 'there' } }
  await tenant.change({ glue, forms: { delivery: { provider: 'other', url: '{{ variables.place }}' } } })
  expect((await other.of(reference)).path).toBe('/forms/there')
  expect((await ended(tenant, jobId)).status).toBe('Completed')
})

test.concurrent('the job of a form fails when the manifest no longer names a receiver, and a retry continues once it does', async () => {
  const tenant = await tenantTo(({ url }) => ({ delivery: { url } }))
  tenant.endpoint.answers(503)
  const { reference, jobId } = await sent(tenant)
  await until('it is tried', async () => tenant.endpoint.tried.length > 0)
  await tenant.change({ forms: {} })
  expect(await ended(tenant, jobId)).toMatchObject({
    status: 'Failed',
    problem: {
      type: '/problems/delivery-not-set-up',
      detail: expect.stringContaining('the manifest no longer has it'),
    },
  })
  await tenant.change({
    forms: { delivery: { url: '{{ variables.url }}' } },
    glue: { variables: { url: 'not a URL' } },
  })
  await act(tenant, jobId, 'retry')
  const { problem } = await ended(tenant, jobId)
  expect(problem).toMatchObject({ detail: expect.stringContaining('its address is no URL') })
  tenant.endpoint.answers(204)
  await tenant.change({
    forms: { delivery: { url: '{{ variables.url }}' } },
    glue: { variables: { url: tenant.endpoint.url } },
  })
  await act(tenant, jobId, 'retry')
  await tenant.endpoint.of(reference)
  expect((await ended(tenant, jobId)).status).toBe('Completed')
})

test.concurrent('a cancelled delivery sends nothing more; a retry goes on', async () => {
  const tenant = await tenantTo(({ url }) => ({ delivery: { url } }))
  tenant.endpoint.answers(503)
  const { reference, jobId } = await sent(tenant)
  await until('it is tried', async () => tenant.endpoint.tried.length > 0)
  expect((await act(tenant, jobId, 'cancel')).status).toBe(202)
  expect((await ended(tenant, jobId)).status).toBe('Cancelled')
  expect(await left(jobId)).toBe(1)
  tenant.endpoint.answers(204)
  await act(tenant, jobId, 'retry')
  await tenant.endpoint.of(reference)
  expect((await ended(tenant, jobId)).status).toBe('Completed')
})

test.concurrent('the retention deletes completed and cancelled deliveries with their data, but never a failed one', async () => {
  const tenant = await tenantTo(({ url }) => ({ delivery: { url } }))
  const delivered = await sent(tenant)
  await ended(tenant, delivered.jobId)
  tenant.endpoint.answers(410)
  const [failed, cancelled] = [await sent(tenant), await sent(tenant)]
  for (const { jobId } of [failed, cancelled]) expect((await ended(tenant, jobId)).status).toBe('Failed')
  tenant.endpoint.answers(503)
  const tried = tenant.endpoint.tried.length
  await act(tenant, cancelled.jobId, 'retry')
  await until('it is tried', async () => tenant.endpoint.tried.length > tried)
  await act(tenant, cancelled.jobId, 'cancel')
  expect((await ended(tenant, cancelled.jobId)).status).toBe('Cancelled')

  const long = new Date(Date.now() - 60 * 24 * 3600_000)
  const all = [delivered, failed, cancelled].map(({ jobId }) => jobId)
  await db('jobs').whereIn('id', all).update({ accepted_at: long, finished_at: long })
  await forgetNow(operator)
  expect(await db('jobs').whereIn('id', all)).toHaveLength(1)
  expect((await job(tenant, failed.jobId)).status).toBe('Failed')
  expect([await left(failed.jobId), await left(cancelled.jobId)]).toEqual([1, 0])
})
