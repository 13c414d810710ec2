// Reset in the Temporal UI, of a run that has ended: its job goes on, as after a retry.
import { afterAll, describe, expect, test } from 'vitest'
import { points, refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant, openDatabase, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { heldJobs } from '../support/held-jobs.js'
import { openTemporal, operatorOf } from '../support/jobs.js'
import { until } from '../support/until.js'

const db = openDatabase(8)
const stops: (() => Promise<void>)[] = []
const operator = await openTemporal()
const { age, reset, resettable, runOf } = operatorOf(operator, db)
const { bulk, transfer, refresh, change, extract, delivery } = heldJobs(db, stops)
afterAll(() => Promise.all(stops.map(stop => stop())))

const statusOf = async (jobId: string) => (await db('jobs').where({ id: jobId }).first('status')).status

describe.each([
  ['a bulk', bulk],
  ['a transfer', transfer],
  ['a refresh', refresh],
  ['a change of data', change],
  ['an extract', extract],
  ['a delivery', delivery],
])('%s', (_, begin) => {
  test.concurrent('whose run was terminated, and is then reset, ends Completed', async () => {
    const { tenant, jobId, release, wrong } = await begin()
    await resettable(jobId)
    await (await runOf(jobId)).handle.terminate('enough')
    await age(jobId)
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Failed' })
    await reset(jobId)
    await release()
    await until('the job is completed', async () => (await statusOf(jobId)) === 'Completed')
    expect(await ended(tenant, jobId)).not.toHaveProperty('problem')
    expect(await wrong()).toEqual([])
  })

  test.concurrent('whose run was cancelled, and is then reset, ends Completed', async () => {
    const { tenant, jobId, release, wrong } = await begin()
    await resettable(jobId)
    const { handle } = await runOf(jobId)
    await handle.cancel()
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Cancelled' })
    await until('the run is closed', async () => (await handle.describe()).status.name === 'CANCELLED')
    await reset(jobId)
    await release()
    await until('the job is completed', async () => (await statusOf(jobId)) === 'Completed')
    expect(await wrong()).toEqual([])
  })
})

test.concurrent('a refresh that its provider refused, whose run is reset when the provider is mended, ends Completed', async () => {
  const provider = await scriptedProvider()
  stops.push(provider.stop)
  const tenant = await dataTenant(scriptedGlue(provider.url), ['ada'])
  provider.says(() => ({ status: 400 }))
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Failed', problem: { status: 502 } })
  provider.says(() => ({ dataPoints: [point('a', 'ada')] }))
  await reset(job.jobId)
  await until('the job is completed', async () => (await statusOf(job.jobId)) === 'Completed')
  expect((await points(tenant)).map(({ Id }) => Id)).toEqual(['a'])
})
