// A burst of data changes.
import { afterAll, expect, test } from 'vitest'
import { announce, countingProvider } from '../support/data-burst.js'
import { points, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant } from '../support/factories.js'
import { ended } from '../support/faults.js'

const provider = await scriptedProvider()
afterAll(() => provider.stop())

test.each([
  ['one subject, 200 at once', ['ada'], 200, 250],
  ['twenty subjects, 50 at once', Array.from({ length: 20 }, (_, n) => `s${n}`), 50, 500],
])(
  '1,000 changes for %s cause few fetches, the last of them after the last change',
  async (_, subjects, atOnce, max) => {
    const extracts = { register: { kind: 'all' } }
    const tenant = await dataTenant(scriptedGlue(provider.url, { by: ['subject'], extracts }), subjects)
    const counting = countingProvider(provider)
    provider.questions.length = 0
    const began = Date.now()
    const jobs = await announce(tenant.provider, tenant, counting, { changes: 1000, subjects, atOnce })
    const took = Date.now() - began
    const pushed = (await points(tenant)).map(({ Id }) => Id)
    expect(pushed).toEqual(counting.rows().map(({ Id }) => Id))
    for (const job of jobs) expect(await ended(tenant, job)).toMatchObject({ kind: 'dataChange', status: 'Completed' })
    expect(counting.allTold()).toBe(true)
    expect(await points(tenant)).toEqual(counting.rows())
    expect(provider.questions.length).toBeLessThan(max)
    console.log(`${took} ms, ${jobs.size} jobs, ${provider.questions.length} fetches`)
  },
)
