// Access to data changes.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Api, api } from '../support/api.js'
import { changePaths, points, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { type DataTenant, dataTenant, point } from '../support/factories.js'
import { problem } from '../support/http.js'

const provider = await scriptedProvider()
let tenant: DataTenant
beforeAll(async () => {
  provider.says(() => ({ dataPoints: [] }))
  const glue = scriptedGlue(provider.url, { by: ['subject'], extracts: { register: { name: 'x' } } })
  tenant = await dataTenant(glue, ['ada'])
})
afterAll(() => provider.stop())

const paths = Object.values(changePaths)
const change = (more: object = {}) => ({
  SubjectIdentifier: 'ada',
  DataExtractsOptionsValuesFilter: { name: 'x' },
  NewOrUpdatedDataPoints: [point('pushed', 'ada')],
  RemovedDataPointIdentifiers: ['x'],
  ...more,
})

/** A client of these scopes, and a token of it with these. */
async function clientWith(scopes: string[], asked: string[]): Promise<Api> {
  const { baseUrl } = { baseUrl: inject('baseUrl') }
  const client = await tenant.client([], scopes, asked)
  return api(baseUrl, client.token)
}

test.each([
  ['a token for FrameGlueDataProviderApi', ['FrameGlueDataProviderApi'], ['FrameGlueDataProviderApi']],
  ['a token for FrameApi of a client that has both', ['FrameApi', 'FrameGlueDataProviderApi'], ['FrameApi']],
  ['a token for both', ['FrameApi', 'FrameGlueDataProviderApi'], ['FrameApi', 'FrameGlueDataProviderApi']],
])('%s is let in, and needs no permission', async (_, scopes, asked) => {
  const client = await clientWith(scopes, asked)
  for (const path of paths) {
    expect(await client.post(path, change())).toMatchObject({
      status: 200,
      body: { MatchedDataExtracts: ['register'] },
    })
  }
})

test.each([
  ['a token for FrameApi of a client without FrameGlueDataProviderApi', ['FrameApi'], ['FrameApi']],
  ['a token for another scope of a client that has it', ['FormsApi', 'FrameGlueDataProviderApi'], ['FormsApi']],
  ['a token of a client with neither', ['GlueRuntimeApi'], ['GlueRuntimeApi']],
])('%s gets 401, and nothing is written', async (_, scopes, asked) => {
  const client = await clientWith(scopes, asked)
  for (const path of paths) {
    const reply = await client.post(path, change({ NewOrUpdatedDataPoints: [point('forbidden', 'ada')] }))
    expect(reply).toMatchObject({ status: 401, body: problem(401, 'unauthenticated', path) })
    expect(reply.headers.get('www-authenticate')).toContain('insufficient_scope')
  }
  expect((await points(tenant)).map(({ Id }) => Id)).not.toContain('forbidden')
})

test.each([
  ['no token', ''],
  ['a token that is none', 'x.y.z'],
])('%s gets 401', async (_, token) => {
  for (const path of paths) {
    const reply = await api(inject('baseUrl'), token).post(path, change())
    expect(reply).toMatchObject({ status: 401, body: problem(401, 'unauthenticated', path) })
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer realm="armature"/)
  }
})

test('a subject is named by its Id and its ExternalId in any letter case', async () => {
  const { id = '', externalId = '' } = tenant.subjects.ada ?? {}
  const client = await clientWith(['FrameGlueDataProviderApi'], ['FrameGlueDataProviderApi'])
  for (const SubjectIdentifier of [id, externalId, id.toUpperCase(), externalId.toUpperCase()]) {
    for (const path of paths) {
      const body = change({ SubjectIdentifier, NewOrUpdatedDataPoints: [] })
      expect(await client.post(path, body)).toMatchObject({ status: 200 })
    }
  }
})

test('an unknown subject, and one of another tenant, is 404, and nothing is written', async () => {
  const other = await dataTenant(
    scriptedGlue(provider.url, { by: ['subject'], extracts: { register: { name: 'x' } } }),
    ['ada', 'bob'],
  )
  const { id = '', externalId = '' } = other.subjects.ada ?? {}
  const client = await clientWith(['FrameGlueDataProviderApi'], ['FrameGlueDataProviderApi'])
  for (const SubjectIdentifier of ['nobody', 'bob', id, externalId, '019ac000-0000-7000-8000-000000000000']) {
    for (const path of paths) {
      const body = change({ SubjectIdentifier, NewOrUpdatedDataPoints: [] })
      expect(await client.post(path, body)).toMatchObject({ status: 404, body: problem(404, 'not-found', path) })
    }
  }
  expect(await points(other)).toEqual([])
})

test("a change touches its own tenant's data only", async () => {
  const other = await dataTenant(
    scriptedGlue(provider.url, { by: ['subject'], extracts: { register: { name: 'x' } } }),
    ['ada'],
  )
  const client = await clientWith(['FrameGlueDataProviderApi'], ['FrameGlueDataProviderApi'])
  expect((await client.post(changePaths.created, change())).status).toBe(200)
  expect(await points(other)).toEqual([])
  expect(await other.get('/api/v1/jobs?Kind=dataChange')).toMatchObject({ body: { PageInfo: { TotalCount: 0 } } })
})
