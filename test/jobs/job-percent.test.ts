// The search attribute that shows how much of a job is done.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { endedRun, openTemporal } from '../support/jobs.js'

const provider = await scriptedProvider()
afterAll(() => provider.stop())
const client = await openTemporal()
const tenant = await dataTenant(scriptedGlue(provider.url, { pageSize: 1 }), ['a'])
const pages = 8

/** Refreshes a set of eight pages with a row each. Returns its run's attribute, and how often that changed. */
async function refreshed(msPerPage: number) {
  provider.says(async ({ cursor }) => {
    await sleep(msPerPage)
    const page = Number(cursor ?? 0)
    return { dataPoints: [point(`p${page}`, 'a')], next: page + 1 < pages ? page + 1 : null }
  })
  const { body: job } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed' })
  const run = await endedRun(client, job)
  const { events } = await run.fetchHistory()
  const changes = (events ?? []).filter(each => each.upsertWorkflowSearchAttributesEventAttributes).length
  return { JobPercent: (await run.describe()).searchAttributes.JobPercent, changes }
}

test('JobPercent follows a job in quarters, and costs nothing in one that a single activity does', async () => {
  const quick = await refreshed(0)
  expect(quick).toMatchObject({ JobPercent: [0], changes: 0 })
  // An activity returns after 2 s, so that this one needs several.
  const slow = await refreshed(700)
  expect(slow.changes).toBeGreaterThanOrEqual(1)
  expect(slow.changes).toBeLessThanOrEqual(3)
  expect([[25], [50], [75]]).toContainEqual(slow.JobPercent)
})
