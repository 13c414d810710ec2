// Refreshes beside failing providers and kills.
import { expect, test } from 'vitest'
import type { Behaviour } from '../../../dev/provider/behaviour.js'
import type { Tenant } from '../../support/api.js'
import { gate, points, refreshPath as registerPath, scriptedGlue, scriptedProvider } from '../../support/data-sets.js'
import { dataTenant, openDatabase, point } from '../../support/factories.js'
import { ended, type JobBody, jobRow, kill } from '../../support/faults.js'
import {
  asDataPoints,
  expectedRows,
  readRows,
  startProvider,
  type TestProvider,
  vaccinationTenant,
} from '../../support/provider.js'
import { sharedStack, type Victim } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
const db = openDatabase()

const refreshPath = '/api/v1/dataSet/vaccinations/refresh'

async function start(tenant: Tenant): Promise<string> {
  const { status, body } = await tenant.post<JobBody>(refreshPath, undefined, { prefer: 'respond-async' })
  expect(status).toBe(202)
  return body.jobId
}

/** Resolves when so many rows are fetched; the job must be under way then. */
const fetched = (tenant: Tenant, jobId: string, rows: number) =>
  until(`${rows} rows are fetched`, async () => {
    const job = await jobRow(db, tenant.tenantKey).catch(() => undefined)
    if (job?.id !== jobId) return undefined
    if (job.status !== 'Accepted' && job.status !== 'Running') {
      throw new Error(`It has ended: ${JSON.stringify(await ended(tenant, jobId))}`)
    }
    return job.done >= rows
  })

/** Compares the whole data set, every row with all that is in it. */
async function expectProvidersData(tenant: Tenant, provider: TestProvider): Promise<void> {
  const wanted = expectedRows(provider)
  const found = await readRows(tenant)
  expect(found.length).toBe(wanted.length)
  const odd = wanted.findIndex((row, n) => JSON.stringify(row) !== JSON.stringify(found[n]))
  expect(odd === -1 ? undefined : found[odd]).toEqual(odd === -1 ? undefined : wanted[odd])
}

/** Three calls of ten fail, each tenth of a second in another way. */
function misbehave(provider: TestProvider): { stop(): void } {
  const ways: Behaviour[] = [
    { failRate: 0.3, failStatus: 500 },
    { dropRate: 0.3 },
    { failRate: 0.3, failStatus: 429, retryAfterSeconds: 0 },
    { failRate: 0.3, failStatus: 503, slowMs: 60 },
  ]
  let n = 0
  const timer = setInterval(() => provider.tell({ ...ways[n % ways.length], seed: ++n }), 100)
  return {
    stop() {
      clearInterval(timer)
      provider.tell({})
    },
  }
}

const pagesOf = (pageSize: number) => (glue: Parameters<typeof asDataPoints>[0]) => {
  const { dataSources = [], ...rest } = asDataPoints(glue)
  return { ...rest, dataSources: dataSources.map(source => ({ ...source, pageSize })) }
}

/** Calls of the provider by what they were answered. */
const answers = (provider: TestProvider) => provider.statistics().calls['GET /vaccinations'] ?? {}

test('20,000 rows of a provider that fails three calls of ten, while the worker is killed twice and the database once, are exactly its rows', async () => {
  // Half of the doses are of the routine programme.
  const provider = await startProvider({ people: 300, doses: 136, ports: stack.providerPorts })
  try {
    const tenant = await vaccinationTenant(provider, { baseUrl: stack.baseUrl, change: pagesOf(100) })
    expect(expectedRows(provider).length).toBeGreaterThan(20_000)
    const bad = misbehave(provider)
    const jobId = await start(tenant)
    const kills: [number, Victim | undefined][] = [
      [2_000, stack.worker],
      [8_000, stack.database],
      [14_000, stack.worker],
    ]
    for (const [rows, victim] of kills) {
      await fetched(tenant, jobId, rows)
      await kill(victim)
    }
    const job = await ended(tenant, jobId, 200_000)
    bad.stop()
    const size = expectedRows(provider).length
    expect(job).toMatchObject({
      status: 'Completed',
      counts: { rows: size, unknownSubjects: 0 },
      progress: { done: size, total: size },
    })
    const { 200: fine = 0, ...others } = answers(provider)
    console.log(answers(provider))
    expect(Object.values(others).reduce((a, b) => a + b, 0) / fine, 'many calls have failed').toBeGreaterThan(0.2)
    await expectProvidersData(tenant, provider)
  } finally {
    await provider.stop()
  }
})

test('a request that joins a refresh gets a round of its own although API, worker, database and Temporal are killed before', async () => {
  const provider = await scriptedProvider(stack.providerPorts)
  try {
    const glue = scriptedGlue(provider.url, { provider: { retrySeconds: 120 } })
    const tenant = await dataTenant(glue, ['ada'], stack.baseUrl)
    const door = gate()
    let rounds = 0
    provider.says(async ({ cursor }) => {
      if (!cursor) {
        rounds++
        return { dataPoints: [point('a', 'ada', `round ${rounds}`)], next: 'second' }
      }
      door.arrive()
      await door.passed
      return { dataPoints: [point('b', 'ada', `round ${rounds}`)] }
    })
    const ask = () => tenant.post<JobBody>(registerPath(), undefined, { prefer: 'respond-async' })
    const first = await ask()
    await door.reached
    await fetched(tenant, first.body.jobId, 1)
    expect(await ask()).toMatchObject({ status: 202, body: { jobId: first.body.jobId } })
    for (const victim of [stack.api, stack.worker, stack.database, stack.temporal]) await kill(victim)
    door.open()
    expect(await ended(tenant, first.body.jobId, 200_000)).toMatchObject({ status: 'Completed', counts: { rows: 2 } })
    expect(await points(tenant)).toEqual([point('a', 'ada', 'round 2'), point('b', 'ada', 'round 2')])
    expect(rounds).toBe(2)
  } finally {
    await provider.stop()
  }
})

test('a provider that is away for some seconds, and Temporal that is killed, are waited for; readers see the old rows', async () => {
  const provider = await startProvider({ people: 60, doses: 100, ports: stack.providerPorts })
  try {
    const tenant = await vaccinationTenant(provider, { baseUrl: stack.baseUrl, change: pagesOf(20) })
    await ended(tenant, await start(tenant))
    const old = await readRows(tenant)
    for (const row of provider.vaccinations.all('routine').slice(0, 500)) provider.vaccinations.remove(row.id)
    const jobId = await start(tenant)
    await fetched(tenant, jobId, 500)
    provider.tell({ dropRate: 1 })
    await until('the provider was missed', async () => (answers(provider)['cut off'] ?? 0) >= 4)
    expect(await readRows(tenant)).toEqual(old)
    provider.tell({ slowMs: 20 })
    await fetched(tenant, jobId, 1_000)
    await kill(stack.temporal)
    expect(await ended(tenant, jobId, 200_000)).toMatchObject({ status: 'Completed' })
    await expectProvidersData(tenant, provider)
  } finally {
    await provider.stop()
  }
})
