// Slow providers of one tenant beside another's bulk.
import { expect, inject, test } from 'vitest'
import { gate, refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant, tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended, type JobBody, placesOf } from '../support/faults.js'
import { until } from '../support/until.js'

/** More than the slots for work on MySQL that a worker has. */
const sets = 20

test('refreshes that wait for a slow provider hold up no bulk of another tenant', async () => {
  const register = await scriptedProvider()
  const door = gate()
  let waiting = 0
  register.says(async () => {
    waiting++
    await door.passed
    return { dataPoints: [] }
  })
  const keys = Array.from({ length: sets }, (_, n) => `set-${n}`)
  const extracts = Object.fromEntries(keys.map(key => [key, { of: key }]))
  const slow = await dataTenant(scriptedGlue(register.url, { extracts }), ['ada'])
  try {
    const jobs: JobBody[] = []
    for (const key of keys) {
      jobs.push((await slow.post<JobBody>(refreshPath(key), undefined, { prefer: 'respond-async' })).body)
    }
    await until('every refresh waits for the provider', async () => waiting >= sets)

    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const { jobId } = await acceptBulk(tenant, placesOf(25, 1))
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 25 } })
    for (const { links } of jobs) {
      expect((await slow.get<JobBody>(links.self)).body.progress.done, 'no page has come').toBe(0)
    }
    door.open()
    for (const job of jobs) expect(await ended(slow, job.jobId)).toMatchObject({ status: 'Completed' })
  } finally {
    door.open()
    await register.stop()
  }
})
