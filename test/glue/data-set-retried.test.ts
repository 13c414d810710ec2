// Retries beside late steps of cancelled jobs.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import {
  type ChangeAnswer,
  changePaths,
  gate,
  points,
  refreshPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { type DataTenant, dataTenant, openDatabase, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { openTemporal, operatorOf } from '../support/jobs.js'
import { until } from '../support/until.js'

const provider = await scriptedProvider()
const db = openDatabase()
const temporal = await openTemporal()
afterAll(() => provider.stop())

/** How often the worker says that a step of the job came to nothing. */
async function failures(jobId: string): Promise<number> {
  const lines = (await readFile(join(inject('dataDir'), 'logs', 'worker.log'), 'utf8')).split('\n')
  return lines.filter(line => line.includes(jobId) && line.includes('step not done')).length
}

/** The next two calls of the provider wait, each at a door of its own: that of a run and that of its retry. */
function twoDoors(says: (nth: number) => object) {
  const doors = [gate(), gate()]
  let calls = 0
  provider.says(async () => {
    const nth = calls++
    doors[nth]?.arrive()
    await doors[nth]?.passed
    return says(nth)
  })
  const [old = gate(), retried = gate()] = doors
  return { old, retried }
}

const glue = (by: 'page' | 'subject') =>
  scriptedGlue(provider.url, { by: [by], provider: { retrySeconds: 60 }, extracts: { register: { kind: 'all' } } })

/** A point of Ada's changes at the provider, who says so. @returns the job that fetches it. */
async function changed({ provider: client }: DataTenant): Promise<string> {
  const { status, body } = await client.post<ChangeAnswer>(changePaths.created, {
    SubjectIdentifier: 'ada',
    DataExtractsOptionsValuesFilter: { kind: 'all' },
    NewOrUpdatedDataPoints: [point('pushed', 'ada')],
  })
  expect({ status, matched: body.MatchedDataExtracts }).toEqual({ status: 200, matched: ['register'] })
  return body.JobId ?? ''
}

/** Cancels a job whose provider is being asked, has it retried, and has the first call refused while the retry's waits. */
async function retriedBeforeItsFirstCallFails(
  tenant: DataTenant,
  job: string,
  { old, retried }: ReturnType<typeof twoDoors>,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const path = `/api/v1/jobs/${job}`
  await old.reached
  expect(await tenant.post(`${path}/cancel`)).toMatchObject({ status: 202 })
  expect(await ended(tenant, job)).toMatchObject({ status: 'Cancelled' })
  expect(await tenant.post(`${path}/retry`)).toMatchObject({ status: 202 })
  await retried.reached
  await meanwhile()
  old.open()
  // A run that has heard of its end by then, after two seconds at the soonest, has given the call up and says nothing of it.
  await until('the first call has failed', async () => (await failures(job)) === 1, 5_000).catch(() => undefined)
}

/** The first call is refused, and so often the retry's that it has to look again for what there is to fetch. */
const refusals = () =>
  twoDoors(nth => ({
    status: [400, 503, 503, 503, 503][nth] ?? 200,
    body: { dataPoints: [point(`of call ${nth}`, 'ada')] },
  }))

test('the late end of a cancelled refresh affects neither its retry nor the changes that wait for the retry', async () => {
  const tenant = await dataTenant(glue('page'), ['ada'])
  const doors = refusals()
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  await retriedBeforeItsFirstCallFails(tenant, job.jobId, doors, () => changed(tenant))
  doors.retried.open()
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed' })
  expect(await points(tenant), 'fetched once more, after the change').toEqual([point('of call 6', 'ada')])
})

test('the late end of a run that an operator has reset does not affect the new run', async () => {
  const tenant = await dataTenant(glue('page'), ['ada'])
  const { old, retried } = refusals()
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  await old.reached
  await operatorOf(temporal, db).reset(job.jobId)
  await retried.reached
  old.open()
  await until('the first call has failed', async () => (await failures(job.jobId)) === 1, 5_000).catch(() => undefined)
  expect((await tenant.get<JobBody>(job.links.self)).body.status, 'the new run goes on').toBe('Accepted')
  retried.open()
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed' })
  expect(await points(tenant)).toEqual([point('of call 5', 'ada')])
})

test('the late end of a cancelled fetch of a subject does not affect its retry', async () => {
  const tenant = await dataTenant(glue('subject'), ['ada'])
  const doors = refusals()
  const job = await changed(tenant)
  await retriedBeforeItsFirstCallFails(tenant, job, doors)
  doors.retried.open()
  expect(await ended(tenant, job)).toMatchObject({ status: 'Completed' })
  expect(await points(tenant)).toEqual([point('of call 5', 'ada')])
})
