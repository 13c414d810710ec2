// A client of the platform that watches jobs, but sees no payloads and changes no manifest, key or secret.
import { beforeAll, expect, inject, test } from 'vitest'
import { type Api, newTenant } from '../support/api.js'
import { isOfPlatform, type Operation, readOperations } from '../support/operations.js'

/** What docs/install.md gives an operator. */
const permissions = [
  'List:Tenant',
  'List:Attention',
  'List:PlatformJob',
  'Edit:PlatformJob',
  'List:Provider',
  'List:FailedCall',
  'View:PlatformWebhook',
  'Edit:PlatformWebhook',
]
const described = await readOperations(inject('baseUrl'))
const ofPlatform = described.operations.filter(isOfPlatform)
const isPermitted = (operation: Operation) =>
  operation.permissions.every(any => any.some(permission => permissions.includes(permission)))

let operator: Api
let tenantKey: string
beforeAll(async () => {
  const tenant = await newTenant(inject('baseUrl'))
  tenantKey = tenant.tenantKey
  operator = await tenant.client(permissions, ['PlatformAdmin'])
})

test('an operator sees the tenants, their jobs, and how their providers and webhooks are', async () => {
  const one = `/admin/v1/tenants/${tenantKey}`
  const paths = [
    `/admin/v1/tenants?SearchTerm=${tenantKey}`,
    `/admin/v1/jobs?Tenant=${tenantKey}`,
    `/admin/v1/attention?Tenant=${tenantKey}`,
    `${one}/providers`,
    `${one}/failedCalls`,
    `${one}/webhooks`,
  ]
  const answers = await Promise.all(paths.map(path => operator.get(path)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(answers[0]?.body).toMatchObject({ Edges: [{ Node: { key: tenantKey } }] })
})

test.each(
  ofPlatform.filter(operation => !isPermitted(operation)).map(operation => [operation.operationId, operation] as const),
)('an operator may not call %s', async (_, { method, path }) => {
  const answer = await operator.send(method, path.replaceAll(/\{\w+\}/g, tenantKey), method === 'GET' ? undefined : {})
  expect(answer).toMatchObject({ status: 403, body: { type: '/problems/forbidden' } })
})

test('an operator has no payloads of Temporal opened', async () => {
  const answer = await operator.post('/temporal/codec/decode', { payloads: [] })
  expect(answer).toMatchObject({ status: 403, body: { type: '/problems/forbidden' } })
})

test('manifests, keys, secrets and mails are among what an operator may not have', () => {
  const refused = ofPlatform.filter(operation => !isPermitted(operation)).map(({ operationId }) => operationId)
  const sensitive = ['getTenant', 'putTenant', 'createApiKey', 'revokeApiKey', 'rotateSigningKeys', 'listMails']
  expect(refused).toEqual(expect.arrayContaining([...sensitive, 'putForm']))
})
