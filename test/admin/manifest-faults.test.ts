// Faults of a manifest.
import { Compile } from 'typebox/schema'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { api, type Problem } from '../support/api.js'
import { aClient } from '../support/factories.js'
import { problem } from '../support/http.js'
import { manifestOf } from '../support/manifest.js'

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

const client = { id: 'c', scopes: ['FrameApi'] }
const withClient = (more: object) => ({ clients: [{ ...client, ...more }] })

const cases: [name: string, manifest: object, ...faults: string[]][] = [
  ['an unknown member', { clientz: [] }, 'unknown-member /clientz'],
  ['a member with signs that pointers escape', { 'a/b~c': 1 }, 'unknown-member /a~1b~0c'],
  ['a member in two spellings', { name: 'A', Name: 'B' }, 'duplicate-member /Name'],
  ['a name that is no text', { name: 7 }, 'wrong-type /name'],
  ['an empty name', { name: '' }, 'too-short /name', 'wrong-format /name'],
  ['a name too long', { name: 'a'.repeat(256) }, 'too-long /name'],
  ["another tenant's key", { key: 'other' }, 'other-key /key'],
  ['clients that are no list', { clients: {} }, 'wrong-type /clients'],
  ['a client without id and scopes', { clients: [{}] }, 'required /clients/0/id', 'required /clients/0/scopes'],
  ['an id with a blank', withClient({ id: 'a b' }), 'wrong-format /clients/0/id'],
  ['an id too long', withClient({ id: 'a'.repeat(101) }), 'too-long /clients/0/id'],
  ['an id given twice', { clients: [client, client] }, 'duplicate-key /clients/1/id'],
  ['a scope that does not exist', withClient({ scopes: ['FrameApi', 'Root'] }), 'unknown-value /clients/0/scopes/1'],
  ['a permission of no form', withClient({ permissions: ['*', 'list'] }), 'wrong-format /clients/0/permissions/1'],
  ['a secret that is short', withClient({ secret: 'a'.repeat(15) }), 'too-short /clients/0/secret'],
  ['a secret of other letters', withClient({ secret: 'é'.repeat(16) }), 'wrong-format /clients/0/secret'],
  ['a misspelt member of a client', withClient({ permission: [] }), 'unknown-member /clients/0/permission'],
  ['a limit of nothing', { limits: { requestsPerMinute: 0 } }, 'out-of-range /limits/requestsPerMinute'],
  ['a limit that is no integer', { limits: { bulkMaxItems: 1.5 } }, 'wrong-type /limits/bulkMaxItems'],
  ['jobs that are not kept', { limits: { jobRetentionDays: 0 } }, 'out-of-range /limits/jobRetentionDays'],
  ['an unknown limit', { limits: { requests: 1 } }, 'unknown-member /limits/requests'],
]

const faultsOf = (answer: Problem) => answer.errors?.map(({ code, pointer }) => `${code} ${pointer}`)

test.each(cases)(
  '%s is 400 with its pointer, for a plan too, and nothing is written',
  async (_, manifest, ...faults) => {
    for (const answer of [await tenant.put(manifest), await tenant.plan(manifest)]) {
      expect(answer.body).toEqual(problem(400, 'validation', tenant.path, { errors: expect.anything() }))
      expect(faultsOf(answer.body as unknown as Problem)).toEqual(faults)
    }
    expect((await tenant.get()).status).toBe(404)
  },
)

test('the published JSON Schema refuses whatever the API refuses by its own', async () => {
  const { body } = await api(inject('baseUrl'), '').get<object>('/admin/v1/manifest.schema.json')
  const schema = Compile(body)
  expect(schema.Check({ clients: [client], limits: {}, name: 'A', key: 'demo' })).toBe(true)
  // What only a look at several places shows.
  const beyond = ['other-key', 'duplicate-key']
  for (const [name, manifest, ...faults] of cases) {
    expect(schema.Check(manifest), name).toBe(beyond.includes(faults[0]?.split(' ')[0] ?? ''))
  }
})

test('all faults of the schema are reported at once, before those between parts of the manifest', async () => {
  const { body } = await tenant.put({ nam: 'A', clients: [{ id: 'a b' }, { id: 'c', scopes: ['x'] }], limits: [] })
  expect(faultsOf(body as unknown as Problem)?.sort()).toEqual([
    'required /clients/0/scopes',
    'unknown-member /nam',
    'unknown-value /clients/1/scopes/0',
    'wrong-format /clients/0/id',
    'wrong-type /limits',
  ])
})

test.each(['-demo', '_demo', 'de mo', 'démo', 'a'.repeat(65), 'a.b', '__proto__'])(
  'no tenant can be called %s',
  async key => {
    const path = `/admin/v1/tenants/${encodeURIComponent(key)}`
    const { body } = await tenant.platform.put<Problem>(path, {})
    expect([body.status, faultsOf(body)]).toEqual([400, ['wrong-format /path/tenantKey']])
    expect((await tenant.platform.get(path)).status).toBe(404)
  },
)

describe('a client id that another tenant has', () => {
  test('is 409 that names each, for a plan too, and nothing is written', async () => {
    const other = await manifestOf()
    const [first, second] = [aClient(), aClient()]
    await other.put({ clients: [first, second] })
    const manifest = { clients: [first, aClient(), second] }
    for (const answer of [await tenant.put(manifest), await tenant.plan(manifest)]) {
      expect(answer.body).toEqual(
        problem(409, 'client-id-taken', tenant.path, {
          errors: [first, second].map(({ id }, n) => ({
            pointer: `/clients/${n * 2}/id`,
            code: 'client-id-taken',
            detail: `The client id '${id}' is in use; choose another.`,
          })),
        }),
      )
    }
    expect((await tenant.get()).status).toBe(404)
    expect((await other.get()).body).toMatchObject({
      clients: expect.arrayContaining([{ ...first, name: first.id, permissions: [], disabled: false }]),
    })
  })

  test('can be used once that tenant has given it up', async () => {
    const other = await manifestOf()
    const client = aClient()
    await other.put({ clients: [client] })
    await other.put({ clients: [] })
    expect((await tenant.put({ clients: [client] })).status).toBe(200)
  })

  test('goes to one of two tenants that ask for it at the same moment', async () => {
    const other = await manifestOf()
    const client = aClient()
    const answers = await Promise.all([tenant.put({ clients: [client] }), other.put({ clients: [client] })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})
