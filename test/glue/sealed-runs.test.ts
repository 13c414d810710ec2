// Secrets in the runs of endpoints.
import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { queues } from '../../workflows/jobs/contracts.js'
import { admin, newTenant, type Tenant } from '../support/api.js'
import { type AllowedServer, allowedServer } from '../support/provider.js'
import { heldOfRuns, markersIn, markersInFiles, testDataConverter } from '../support/sealed.js'
import { type SecondProvider, startSecondProvider } from '../support/second-provider.js'

const run = randomUUID().slice(0, 8)
const marker = (what: string) => `marker-${what}-${run}`
const [question, variable, first, second, claim] = ['question', 'variable', 'first', 'second', 'claim'].map(marker)

let provider: AllowedServer
let identity: SecondProvider
let tenant: Tenant
let client: Client
/** Calls of the provider. */
let asked = 0

beforeAll(async () => {
  provider = await allowedServer()
  provider.answer((request, response) => {
    asked++
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ said: request.url === '/first' ? first : second }))
  })
  identity = await startSecondProvider()
  const call = (url: string) => ({
    url: `${provider.url}/${url}`,
    headers: { authorization: 'Bearer {{ request.userToken }}', 'x-variable': '{{ variables.secret }}' },
  })
  const endpoint = {
    key: 'two-calls',
    durable: true,
    authentication: [{ openIdConnect: { authority: identity.issuer, audiences: 'app-a' } }, { apiKey: {} }],
    steps: [
      { name: 'who', transform: { expression: 'request.user.name' } },
      { name: 'first', httpRequest: call('first') },
      { name: 'second', httpRequest: call('second') },
      {
        name: 'answer',
        respond: { expression: '[request.body.question, steps.first.body.said, steps.second.body.said, steps.who]' },
      },
    ],
  }
  const glue = {
    secrets: [{ name: 'secret', value: variable, hosts: [new URL(provider.url).host] }],
    endpoints: [endpoint],
  }
  tenant = await newTenant(inject('baseUrl'), {}, { glue })
  const dataConverter = testDataConverter(inject('encryptionKey'))
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }), dataConverter })
})
afterAll(async () => {
  await provider?.stop()
  await identity?.stop()
  await client?.connection.close()
})

test('a run of an endpoint leaves neither tokens, claims, keys, secrets, questions nor answers in the open', async () => {
  const platform = await admin(inject('baseUrl'))
  const keys = `/admin/v1/tenants/${tenant.tenantKey}/endpoints/two-calls/apiKeys`
  const { body: apiKey } = await platform.post<{ key: string }>(keys, { name: 'test' })
  const userToken = await identity.token({ name: claim })
  const answer = await fetch(`${inject('baseUrl')}/glue/${tenant.tenantKey}/two-calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userToken}`, 'x-api-key': apiKey.key, 'content-type': 'application/json' },
    body: JSON.stringify({ question }),
  })
  expect([answer.status, await answer.json()]).toEqual([200, [question, first, second, claim]])

  // The state between the two calls is in the history, sealed: it is found by who has the key.
  const inside = [question, first, second, claim, userToken].map(String)
  const never = [variable, apiKey.key].map(String)
  const found = `${tenant.tenantKey}/glueEndpoint/two-calls`
  const query = `TenantKey = '${tenant.tenantKey}'`
  await expect
    .poll(async () => (await heldOfRuns(client, query)).sealed.includes(found), { timeout: 10_000 })
    .toBe(true)
  // The caller has its answer before the history has all of the run.
  for await (const { workflowId } of client.workflow.list({ query }))
    await client.workflow.getHandle(workflowId).result()
  for await (const { workflowId } of client.workflow.list({ query })) {
    const handle = client.workflow.getHandle(workflowId)
    const described = await handle.describe()
    expect(described.memo).toMatchObject({ tenant: tenant.tenantKey, endpoint: 'two-calls', trace: expect.any(String) })
    expect(await described.staticDetails()).toContain('Endpoint two-calls, called by ')
    const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    expect(metadata.currentDetails).toBe('Answered 200')
  }
  const runs = await heldOfRuns(client, query)
  expect(markersIn(Buffer.from(runs.opened), [...inside, ...never])).toEqual(inside)
  expect(markersIn(runs.sealed, [found, ...inside, ...never])).toEqual([found])
  expect(await markersInFiles(inject('dataDir'), [found, ...inside, ...never])).toEqual([found])
})

test('a run that is started by hand, with input that is not sealed for it, is refused and ends', async () => {
  const plain = new Client({ connection: client.connection })
  const input = {
    run: {
      tenantKey: tenant.tenantKey,
      endpointKey: 'two-calls',
      traceId: run,
      request: { method: 'POST', query: {}, body: { question } },
    },
    queue: undefined,
    startBy: Date.now() + 60_000,
  }
  const start = (by: Client, workflowId: string, args: unknown[]) =>
    by.workflow.start('glueEndpoint', { workflowId, taskQueue: queues.background, args })
  const before = asked
  const unsealed = await start(plain, `${tenant.tenantKey}/glueEndpoint/two-calls/by-hand`, [input])
  const sealed = client.workflow.getHandle(unsealed.workflowId)
  await expect(sealed.result()).rejects.toMatchObject({
    cause: { type: 'input-refused', nonRetryable: true, message: expect.stringContaining('is not sealed for it') },
  })
  expect(asked, 'no provider was called').toBe(before)
})
