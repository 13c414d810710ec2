// Sources whose next page is a link.
import { afterAll, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { points, refreshed, refreshPath } from '../support/data-sets.js'
import { recordingProvider } from '../support/endpoints.js'
import { dataTenant, point } from '../support/factories.js'

let nextLink = (_: number) => ''
/** Five rows on pages of two, as an OData service below a path of its host has them. */
const provider = await recordingProvider(({ path }) => {
  const { pathname, searchParams } = new URL(path, 'http://any')
  if (pathname !== '/p/odata/v4/Visits') return { status: 404, body: {} }
  const from = Number(searchParams.get('$skip') ?? 0)
  const value = all.slice(from, from + 2)
  return { body: { value, ...(from + 2 < all.length ? { '@odata.nextLink': nextLink(from + 2) } : {}) } }
})
const all = ['a', 'b', 'c', 'd', 'e'].map(id => point(id, 'ada'))
afterAll(() => provider.stop())

const glue = {
  providers: [{ key: 'visits', url: `${provider.url}/p/odata/v4`, alsoKnownAs: ['http://backend:8080/v4'] }],
  endpoints: [
    {
      key: 'visits-page',
      capability: 'structuredData',
      authentication: [{ clientCredentials: {} }],
      steps: [
        {
          name: 'visits',
          httpRequest: { provider: 'visits', url: "{{ request.body.cursor | default: '/Visits?$top=2' }}" },
        },
        { name: 'answer', respond: { rows: 'steps.visits.body.value', next: 'steps.visits.body.`@odata.nextLink`' } },
      ],
    },
  ],
  dataSources: [{ key: 'visits', pageEndpoint: 'visits-page' }],
  dataExtracts: [{ key: 'register', source: 'visits' }],
}
const tenant = await dataTenant(glue, ['ada'])

test.each<[string, (skip: number) => string]>([
  ['from the root', skip => `/p/odata/v4/Visits?$skip=${skip}`],
  ['relative to the page', skip => `Visits?$skip=${skip}`],
  ['of a query alone', skip => `?$skip=${skip}`],
  ['absolute', skip => `${provider.url}/p/odata/v4/Visits?$skip=${skip}`],
  ['to the server behind a proxy', skip => `http://backend:8080/v4/Visits?$skip=${skip}`],
])('a next link %s is followed to the last page', async (_, link) => {
  nextLink = link
  const before = provider.seen.length
  await refreshed(tenant)
  expect(await points(tenant)).toEqual(all)
  expect(provider.seen.length - before).toBe(3)
})

test.each([
  ['another host', 'https://elsewhere.example/Visits?$skip=2', 'https://elsewhere.example'],
  ['another path', '/admin', provider.url],
])('a next link to %s fails the refresh with its host and page', async (_, link, origin) => {
  nextLink = () => link
  const { status, body } = await tenant.post<Problem>(refreshPath())
  expect({ status, body }).toMatchObject({ status: 502, body: { type: '/problems/next-elsewhere' } })
  expect(body.detail).toContain(`leads to ${origin},`)
  expect(body.detail).toContain('(page 1)')
  expect(await points(tenant)).toEqual(all)
})
