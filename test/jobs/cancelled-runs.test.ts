// What Temporal shows of a run whose job was cancelled.

import type { WorkflowHandle } from '@temporalio/client'
import { afterAll, expect, test } from 'vitest'
import { gate, refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { endedRun, openTemporal } from '../support/jobs.js'
import { until } from '../support/until.js'

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>

const provider = await scriptedProvider()
afterAll(() => provider.stop())
const client = await openTemporal()
const tenant = await dataTenant(scriptedGlue(provider.url, { pageSize: 1, provider: { retrySeconds: 3_600 } }), ['a'])

/** Returns the activities that have no end in a history. The UI shows these as pending, even if the run is closed. */
function withoutEnd({ events }: History): string[] {
  const scheduled = (events ?? []).flatMap(({ eventId, activityTaskScheduledEventAttributes: activity }) =>
    activity ? [{ id: String(eventId), name: activity.activityType?.name ?? '' }] : [],
  )
  const ended = new Set(
    (events ?? []).flatMap(event => {
      const end =
        event.activityTaskCompletedEventAttributes ??
        event.activityTaskFailedEventAttributes ??
        event.activityTaskCanceledEventAttributes ??
        event.activityTaskTimedOutEventAttributes
      return end ? [String(end.scheduledEventId)] : []
    }),
  )
  return scheduled.flatMap(({ id, name }) => (ended.has(id) ? [] : [name]))
}

/** Refreshes three pages of a set; the provider answers the fourth as it is told. Cancels the refresh `when` it has got there. */
async function cancelledRun(when: (job: JobBody) => Promise<unknown>, fourth: () => Promise<object>) {
  provider.says(({ cursor }) => {
    const page = Number(cursor ?? 0)
    return page < 3 ? { dataPoints: [point(`p${page}`, 'a')], next: page + 1 } : fourth()
  })
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  await when(job)
  // The fourth page is asked for while the third is written.
  const doneSoFar = async () => (await tenant.get<JobBody>(job.links.self)).body.progress.done
  await until('three pages are written', async () => (await doneSoFar()) === 3)
  await tenant.post(`${job.links.self}/cancel`)
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Cancelled', progress: { done: 3 } })
  const handle = await endedRun(client, job)
  const { status: run, raw } = await handle.describe()
  const { currentDetails } = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')
  const pending = [...withoutEnd(await handle.fetchHistory()), ...(raw.pendingActivities ?? [])]
  return { run: run.name, pending, currentDetails }
}

const closed = {
  run: 'CANCELLED',
  pending: [],
  currentDetails: expect.stringMatching(/^3 of \d+ rows fetched, then cancelled$/),
}

test('a run that is cancelled while its activity is under way has no pending activity, and says how far it came', async () => {
  const door = gate()
  const run = await cancelledRun(
    () => door.reached,
    async () => {
      door.arrive()
      await door.passed
      return { dataPoints: [] }
    },
  )
  door.open()
  expect(run).toEqual(closed)
})

test('a run that is cancelled while it waits for its next attempt has no pending activity, and says how far it came', async () => {
  const run = await cancelledRun(
    job => until('the job waits', async () => (await tenant.get<JobBody>(job.links.self)).body.waiting),
    async () => ({ status: 503, headers: { 'retry-after': '1000' }, body: {} }),
  )
  expect(run).toEqual(closed)
})

test('a retry that comes before the cancelled run has closed completes the job, although the activity of that run still hangs', async () => {
  const door = gate()
  let calls = 0
  provider.says(async ({ cursor }) => {
    const page = Number(cursor ?? 0)
    if (++calls === 2) {
      door.arrive()
      await door.passed
    }
    return { dataPoints: [point(`r${page}`, 'a')], next: page < 2 ? page + 1 : null }
  })
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  await door.reached
  await tenant.post(`${job.links.self}/cancel`)
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Cancelled' })
  expect((await tenant.post(`${job.links.self}/retry`)).status).toBe(202)
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed' })
  door.open()
})
