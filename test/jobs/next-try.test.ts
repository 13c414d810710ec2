// Jobs that wait for their next attempt.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { gate, refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { type DataTenant, dataTenant, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { readAll } from '../support/frame.js'
import { until } from '../support/until.js'

const provider = await scriptedProvider()
afterAll(() => provider.stop())

const tenantWith = (retrySeconds: number) =>
  dataTenant(scriptedGlue(provider.url, { provider: { retrySeconds } }), ['a'])

/** The provider is away, and asks to come again after so many seconds. */
const isAway = (seconds: number) =>
  provider.says(() => ({ status: 503, headers: { 'retry-after': String(seconds) }, body: {} }))

const begin = async (tenant: DataTenant) =>
  (await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })).body

const waitingOf = (tenant: DataTenant, { links }: JobBody) =>
  until('the job waits', async () => (await tenant.get<JobBody>(links.self)).body.waiting)

test('a job that waits says why, since when, and when it is tried again, until it goes on or ends', async () => {
  const tenant = await tenantWith(3_600)
  isAway(1_000)
  const job = await begin(tenant)
  const { reason, since, nextTry } = await waitingOf(tenant, job)
  expect(reason).toMatch(/^The step 'ask' failed: The provider 'register' answered 503 \(page 1\)/)
  const seconds = (Date.parse(nextTry) - Date.parse(since)) / 1_000
  expect(seconds).toBeGreaterThanOrEqual(999)
  expect(seconds).toBeLessThan(1_100)
  expect(await readAll(tenant, '/api/v1/jobs')).toMatchObject([{ waiting: { reason } }])
  await tenant.post(`${job.links.self}/cancel`)
  expect(await ended(tenant, job.jobId)).not.toHaveProperty('waiting')

  provider.says(() => ({ dataPoints: [point('x', 'a')] }))
  await tenant.post(`${job.links.self}/retry`)
  const completed = await ended(tenant, job.jobId)
  expect(completed).toMatchObject({ status: 'Completed' })
  expect(completed).not.toHaveProperty('waiting')
})

test('a job does not wait longer than retrySeconds, whatever its provider asks for', async () => {
  const tenant = await tenantWith(20)
  isAway(3_000)
  const job = await begin(tenant)
  const { detail } = (await ended(tenant, job.jobId)).problem ?? {}
  expect(detail).toMatch(/answered 503 .* It is to be tried again after 3000 s, beyond that time\./)
})

test('a job whose provider is away for longer than retrySeconds fails when they are over', async () => {
  const tenant = await tenantWith(3)
  provider.says(() => ({ status: 503 }))
  const job = await begin(tenant)
  const { nextTry, since } = await waitingOf(tenant, job)
  expect(Date.parse(nextTry)).toBeLessThanOrEqual(Date.parse(since) + 4_000)
  expect(await ended(tenant, job.jobId)).toMatchObject({ problem: { type: '/problems/provider-failed' } })
})

test('the time in a queue is no time of failing', async () => {
  const limits = { concurrency: 1 }
  const extracts = { busy: { of: 'busy' }, register: { of: 'register' } }
  const shape = { by: ['subject' as const], provider: { retrySeconds: 4, limits }, extracts }
  const tenant = await dataTenant(scriptedGlue(provider.url, shape), ['a'])
  const door = gate()
  provider.says(async () => {
    door.arrive()
    await door.passed
    return { status: 503 }
  })
  // The provider takes one call at a time, and its queue waits for longer than a failing call is tried again.
  await tenant.post<JobBody>(refreshPath('busy'), undefined, { prefer: 'respond-async' })
  await door.reached
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  await sleep(5_000)
  const openedAt = Date.now()
  door.open()
  const { since } = await waitingOf(tenant, job)
  expect(Date.parse(since)).toBeGreaterThan(openedAt - 500)
  const asked = () => provider.questions.filter(({ options }) => Object(options).of === 'register').length
  await until('it has failed again', async () => asked() > 2)
  provider.says(() => ({ dataPoints: [point('x', 'a')] }))
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed' })
})
