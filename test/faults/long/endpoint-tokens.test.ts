// Endpoint runs that use their caller's token, beside a kill of the API in the first call.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Provider, recordingProvider } from '../../support/endpoints.js'
import { type EndpointTenant, glueTenant } from '../../support/factories.js'
import { sent, signal } from '../../support/faults.js'
import { userIssuer } from '../../support/issuer.js'
import { temporalClient } from '../../support/jobs.js'
import { clockSeconds } from '../../support/modes.js'
import { startOwnApi } from '../../support/own-api.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
/** Calls that get no answer, because the process that made them is killed. */
let held = 3
let provider: Provider
let second: Awaited<ReturnType<typeof startOwnApi>>
let issuer: Awaited<ReturnType<typeof userIssuer>>
let temporal: Awaited<ReturnType<typeof temporalClient>>
beforeAll(async () => {
  temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  // It takes the runs over: the time of a run is too short for a slow start of the API that was killed.
  second = await startOwnApi({
    TEMPORAL_ADDRESS: stack.temporalAddress,
    OUTBOUND_ALLOW: stack.providerPorts.map(port => `127.0.0.1:${port}`).join(','),
  })
  await second.live()
  issuer = await userIssuer(stack.providerPorts)
  provider = await recordingProvider(({ path }) => {
    if (held === 0) return { body: { at: path } }
    if (--held === 0) signal(stack.api, 'SIGKILL')
    return new Promise(() => undefined)
  }, stack.providerPorts)
})
afterAll(async () => {
  await Promise.all([temporal?.close(), provider?.stop(), issuer?.stop(), second?.stop()])
})

/** An endpoint of one call. @param headers of the call. */
const tenantOf = (url: string, headers: object): Promise<EndpointTenant> => {
  const httpRequest = { provider: 'p', method: 'POST', url, body: '{}', idempotent: true, headers }
  const openIdConnect = { authority: issuer.authority, audiences: 'app' }
  return glueTenant(
    {
      providers: [{ key: 'p', url: provider.url }],
      endpoints: [
        { key: 'e', durable: true, authentication: [{ openIdConnect }], steps: [{ name: 'call', httpRequest }] },
      ],
    },
    {},
    stack.baseUrl,
  )
}

/** How the run of a tenant's endpoint ended, with the activities that its history shows. */
const endedRun = ({ tenantKey }: EndpointTenant) =>
  until('the run ends', async () => {
    for await (const run of temporal.client.workflow.list({ query: `TenantKey = '${tenantKey}'` })) {
      if (run.status.name === 'RUNNING') return undefined
      const { events = [] } = await temporal.client.workflow.getHandle(run.workflowId).fetchHistory()
      const markers = (events ?? []).flatMap(({ markerRecordedEventAttributes: marker }) => marker ?? [])
      const activities = markers.map(({ details }) => {
        const [data] = details?.data?.payloads ?? []
        return /"activity_type":"(\w+)"/.exec(Buffer.from(data?.data ?? []).toString())?.[1]
      })
      const { failure } = events?.at(-1)?.workflowExecutionFailedEventAttributes ?? {}
      const type = (failure?.applicationFailureInfo ?? failure?.cause?.applicationFailureInfo)?.type
      return { end: type ?? run.status.name, activities }
    }
    return undefined
  })

test('the first call is repeated by another process behind validateToken, which the history shows; not with a token that has expired', async () => {
  const withToken = { Authorization: 'Bearer {{ request.userToken }}' }
  const [valid, expired, careless] = await Promise.all([
    tenantOf('valid', withToken),
    tenantOf('expired', withToken),
    tenantOf('careless', {}),
  ])
  // Clocks may differ by a minute: the edge lets the second one in for eight more seconds. Temporal waits ten for the API.
  const calls = [
    [valid, await issuer.token()],
    [expired, await issuer.token(clockSeconds - 52)],
    [careless, await issuer.token()],
  ] as const
  const answers = calls.map(([tenant, token]) =>
    sent(tenant.call('e', undefined, { authorization: `Bearer ${token}` })),
  )
  expect(await Promise.all(answers), 'their callers are cut off').toEqual([undefined, undefined, undefined])
  await stack.ready()

  const [first, second, third] = await Promise.all(calls.map(([tenant]) => endedRun(tenant)))
  expect(first).toEqual({
    end: 'COMPLETED',
    activities: ['runEndpointSteps', 'validateToken', 'runEndpointSteps'],
  })
  expect(second).toEqual({ end: 'unauthenticated', activities: ['runEndpointSteps', 'validateToken'] })
  expect(third).toEqual({ end: 'COMPLETED', activities: ['runEndpointSteps'] })
  const times = (path: string) => provider.seen.filter(each => each.path === path).length
  expect([times('/valid'), times('/expired'), times('/careless')]).toEqual([2, 1, 2])
})
