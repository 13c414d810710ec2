// Data changes of a subject at several providers, one of which is away.
import { afterAll, expect, test } from 'vitest'
import { type ChangeAnswer, changePaths, points, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { until } from '../support/until.js'

const [one, two] = [await scriptedProvider(), await scriptedProvider()]
afterAll(() => Promise.all([one.stop(), two.stop()]))

/** The glue of both providers. Each has a data extract of its own. */
function bothGlue(provider: object) {
  const shape = { by: ['subject' as const], provider: { retrySeconds: 3_600, ...provider } }
  const glues = [one, two].map(({ url }) => scriptedGlue(url, shape))
  const named = <T extends object>(
    member: (glue: (typeof glues)[number]) => T[],
    rename: (each: T, name: string) => T,
  ) => glues.flatMap((glue, n) => member(glue).map(each => rename(each, n === 0 ? 'one' : 'two')))
  return {
    providers: named(
      glue => glue.providers,
      (each, key) => ({ ...each, key }),
    ),
    endpoints: named(
      glue => glue.endpoints,
      (each, key) => JSON.parse(JSON.stringify({ ...each, key }).replace('"register"', `"${key}"`)),
    ),
    dataSources: named(
      glue => glue.dataSources,
      (each, key) => ({ ...each, key, subjectEndpoint: key }),
    ),
    dataExtracts: named(
      glue => glue.dataExtracts,
      (each, key) => ({ ...each, key, source: key, options: { of: 'all' } }),
    ),
  }
}

test.each([
  ['', {}],
  [' with limits', { limits: { concurrency: 1 } }],
])('a provider%s that asks to wait does not let the data of another one wait', async (_, provider) => {
  const tenant = await dataTenant(bothGlue(provider), ['ada'])
  one.says(() => ({ status: 503, headers: { 'retry-after': '600' } }))
  two.says(() => ({ dataPoints: [point('new', 'ada')] }))
  const announced = { SubjectIdentifier: 'ada', DataExtractsOptionsValuesFilter: { of: 'all' } }
  const { body } = await tenant.provider.post<ChangeAnswer>(changePaths.created, announced)
  expect(body.MatchedDataExtracts).toEqual(['one', 'two'])
  await until('the data of the second is there', async () => (await points(tenant, 'two')).length === 1)
  const self = `/api/v1/jobs/${body.JobId}`
  const { reason, nextTry } = await until('it waits', async () => (await tenant.get<JobBody>(self)).body.waiting)
  expect(reason).toContain("The provider 'one' answered 503")
  expect(Date.parse(nextTry) - Date.now()).toBeGreaterThan(500_000)
  await tenant.post(`${self}/cancel`)
  expect(await ended(tenant, body.JobId ?? '')).toMatchObject({ status: 'Cancelled', progress: { done: 1 } })
})

test('a job goes round no more than once among providers with limits that are all away', async () => {
  const tenant = await dataTenant(bothGlue({ limits: { concurrency: 1 } }), ['ada'])
  for (const provider of [one, two]) {
    provider.says(() => ({ status: 503, headers: { 'retry-after': '600' } }))
    provider.questions.length = 0
  }
  const announced = { SubjectIdentifier: 'ada', DataExtractsOptionsValuesFilter: { of: 'all' } }
  const { body } = await tenant.provider.post<ChangeAnswer>(changePaths.created, announced)
  const self = `/api/v1/jobs/${body.JobId}`
  const { nextTry } = await until('it waits', async () => (await tenant.get<JobBody>(self)).body.waiting)
  expect(Date.parse(nextTry) - Date.now()).toBeGreaterThan(500_000)
  expect([one, two].map(({ questions }) => questions.length)).toEqual([1, 1])
  await tenant.post(`${self}/cancel`)
  expect(await ended(tenant, body.JobId ?? '')).toMatchObject({ status: 'Cancelled' })
})
