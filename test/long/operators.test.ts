// What operators do to a run in the Temporal UI, in the middle of it: Terminate, Cancel and Reset, for each shape of job.
import { afterAll, describe, expect, test } from 'vitest'
import { gate } from '../support/data-sets.js'
import { recordingProvider } from '../support/endpoints.js'
import { glueTenant, openDatabase } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { type Held, heldJobs } from '../support/held-jobs.js'
import { openTemporal, operatorOf } from '../support/jobs.js'
import { until } from '../support/until.js'

const db = openDatabase(8)
const stops: (() => Promise<void>)[] = []
const operator = await openTemporal()
const { age, reset, resetRun, runOf } = operatorOf(operator, db)
const { bulk, transfer, refresh, change, extract, delivery } = heldJobs(db, stops)
afterAll(() => Promise.all(stops.map(stop => stop())))

async function retried({ tenant, jobId, wrong }: Held): Promise<void> {
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed' })
  expect(await wrong()).toEqual([])
}

describe.each([
  ['a bulk', bulk],
  ['a transfer', transfer],
  ['a refresh', refresh],
  ['a change of data', change],
  ['an extract', extract],
  ['a delivery', delivery],
])('%s', (_, begin) => {
  test.concurrent('whose run is terminated ends Failed and says so; a retry does the rest', async () => {
    const held = await begin()
    const { tenant, jobId, release } = held
    await (await runOf(jobId)).handle.terminate('enough')
    await age(jobId)
    expect(await ended(tenant, jobId)).toMatchObject({
      status: 'Failed',
      problem: { type: '/problems/run-ended', detail: expect.stringContaining('terminated') },
    })
    // The step that was held comes to its end beside those of the retry.
    await Promise.all([release(), retried(held)])
  })

  test.concurrent('whose run is cancelled ends Cancelled; a retry does the rest', async () => {
    const held = await begin()
    const { tenant, jobId, release } = held
    await (await runOf(jobId)).handle.cancel()
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Cancelled' })
    await Promise.all([release(), retried(held)])
  })

  test.concurrent('whose run is reset to its beginning goes on where it was, and ends Completed', async () => {
    const { tenant, jobId, release, wrong } = await begin()
    await reset(jobId)
    await release()
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed' })
    expect(await wrong()).toEqual([])
  })
})

test('a job that is terminated before its first step is not started again, and ends Failed', async () => {
  const { tenant, jobId, release } = await extract()
  const { handle } = await runOf(jobId)
  await handle.terminate('enough')
  await db('jobs')
    .where({ id: jobId })
    .update({ accepted_at: new Date(Date.now() - 60_000) })
  await until('the run is noted', async () => (await db('jobs').where({ id: jobId }).first('started_at')).started_at)
  expect((await handle.describe()).status.name).toBe('TERMINATED')
  await age(jobId)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Failed', problem: { type: '/problems/run-ended' } })
  await release()
})

describe('a run of an endpoint', () => {
  /** A run whose second call is under way, and the answer that its caller waits for. */
  async function called() {
    const { passed, open, reached, arrive } = gate()
    const provider = await recordingProvider(async ({ path }) => {
      if (path === '/two') {
        arrive()
        await passed
      }
      return { body: { at: path } }
    })
    stops.push(provider.stop)
    const steps = ['one', 'two'].map(name => ({ name, httpRequest: { provider: 'p', url: name } }))
    const tenant = await glueTenant({
      providers: [{ key: 'p', url: provider.url }],
      endpoints: [
        { key: 'e', durable: true, steps: [...steps, { name: 'end', respond: { expression: 'steps.two.body' } }] },
      ],
    })
    const answer = tenant.call('e')
    await reached
    const query = `TenantKey = '${tenant.tenantKey}' AND JobKind = 'glueEndpoint'`
    const run = await until('the run is seen', async () => {
      for await (const each of operator.workflow.list({ query })) return each
      return undefined
    })
    return { answer, run, handle: operator.workflow.getHandle(run.workflowId), release: open, provider }
  }
  const runEnded = { status: 500, body: { type: '/problems/run-ended' } }

  test.concurrent.each(['terminate', 'cancel'] as const)('that gets %s answers its caller accordingly', async how => {
    const { answer, handle, release } = await called()
    await handle[how]()
    expect(await answer).toMatchObject(runEnded)
    release()
  })

  test.concurrent('that is reset completes, and its caller gets the answer or learns that the run was ended', async () => {
    const { answer, handle, run, release, provider } = await called()
    await resetRun(run.workflowId, run.runId)
    release()
    // Two outcomes race: that of the run that the reset has ended, and that of the new one.
    expect([200, 500]).toContain((await answer).status)
    expect(await handle.result()).toMatchObject({ status: 200, body: { json: { at: '/two' } } })
    expect(provider.seen.map(({ path }) => path)).toContain('/two')
  })
})
