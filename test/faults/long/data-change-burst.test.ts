// A burst of data changes with kills.
import { expect, test } from 'vitest'
import { announce, countingProvider } from '../../support/data-burst.js'
import { points, scriptedGlue, scriptedProvider } from '../../support/data-sets.js'
import { dataTenant, openDatabase } from '../../support/factories.js'
import { ended, kill, signal } from '../../support/faults.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
const db = openDatabase()

const subjects = ['ada', 'bob', 'cyd', 'dan', 'eve']

test.each([
  ['the API is killed', () => kill(stack.api)],
  [
    'Temporal is away for some seconds',
    async () => {
      signal(stack.temporal, 'SIGSTOP')
      await new Promise(resolve => setTimeout(resolve, 8_000))
      signal(stack.temporal, 'SIGCONT')
    },
  ],
  ['the worker is killed', () => kill(stack.worker)],
])('of 1,000 changes none is lost while %s', async (_, harm) => {
  const provider = await scriptedProvider(stack.providerPorts)
  try {
    await stack.ready()
    const extracts = { register: { kind: 'all' } }
    const glue = scriptedGlue(provider.url, { by: ['subject'], extracts, provider: { retrySeconds: 600 } })
    const tenant = await dataTenant(glue, subjects, stack.baseUrl)
    const counting = countingProvider(provider)
    const first = await announce(tenant.provider, tenant, counting, { changes: 300, subjects, atOnce: 50 })
    const [second] = await Promise.all([
      announce(tenant.provider, tenant, counting, { changes: 700, subjects, atOnce: 50 }),
      harm(),
    ])
    await until('nothing is left to be done', async () => {
      const left = await db('jobs as j')
        .join('tenants as t', 't.id', 'j.tenant_id')
        .where('t.tenant_key', tenant.tenantKey)
        .whereIn('j.status', ['Accepted', 'Running'])
        .count({ open: '*' })
        .first()
      return Number(left?.open) === 0
    })
    for (const job of [...first, ...second]) {
      expect(await ended(tenant, job)).toMatchObject({ kind: 'dataChange', status: 'Completed' })
    }
    expect(counting.allTold()).toBe(true)
    expect(await points(tenant)).toEqual(counting.rows())
    expect(provider.questions.length).toBeLessThan(500)
    console.log(`${first.size + second.size} jobs, ${provider.questions.length} fetches`)
  } finally {
    await provider.stop()
  }
})
