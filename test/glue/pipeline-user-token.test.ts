// The user's token in pipelines.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { recordingProvider } from '../support/endpoints.js'
import { glueTenant } from '../support/factories.js'
import { problem } from '../support/http.js'
import { userIssuer } from '../support/issuer.js'
import { temporalClient } from '../support/jobs.js'
import { heldOfRuns } from '../support/sealed.js'
import { until } from '../support/until.js'

const issuer = await userIssuer()
let slow = async () => {}
const provider = await recordingProvider(async ({ path }) => {
  if (path.startsWith('/slow')) await slow()
  return { body: { fine: true } }
})
afterAll(() => Promise.all([issuer.stop(), provider.stop()]))

const call = (name: string, more: object = {}) => ({ name, httpRequest: { provider: 'p', url: name, ...more } })
const withToken = { headers: { Authorization: 'Bearer {{ request.userToken }}' } }

const tenantOf = (steps: object[], durable?: boolean) =>
  glueTenant({
    providers: [{ key: 'p', url: provider.url }],
    endpoints: [
      {
        key: 'e',
        durable,
        authentication: [{ openIdConnect: { authority: issuer.authority, audiences: 'app' } }],
        steps,
      },
    ],
  })

/** The header by which the endpoint's caller authenticates. */
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('the user’s token is not sent unless a template says so, wherever the others ask for all there is', async () => {
  const tenant = await tenantOf([
    call('plain', { method: 'POST', body: '{{ request | json }}', query: { all: '{{ request }}' } }),
    { name: 'r', respond: { expression: 'request' } },
  ])
  const token = await issuer.token()
  const answer = await tenant.call('e', { a: 1 }, bearer(token))
  expect(answer).toMatchObject({ status: 200, body: { method: 'POST', query: {}, body: { a: 1 } } })
  expect(JSON.stringify([answer.body, provider.seen.at(-1)])).not.toContain(token)
})

test("a template sends the user's token unchanged", async () => {
  const tenant = await tenantOf([call('first', withToken), call('second', withToken)])
  const token = await issuer.token()
  expect(await tenant.call('e', undefined, bearer(token))).toMatchObject({ status: 200 })
  expect(provider.seen.slice(-2).map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/first', `Bearer ${token}`],
    ['/second', `Bearer ${token}`],
  ])
})

test("the user's token is validated again before a later step uses it, and 401 if it has expired; other steps do not need it", async () => {
  const [using, direct, careless] = await Promise.all([
    tenantOf([call('slow'), call('later', withToken)], true),
    tenantOf([call('slow'), call('later', withToken)]),
    tenantOf([call('slow', withToken), call('careless')], true),
  ])
  // Clocks may differ by a minute: the edge lets it in for five more seconds, and then nobody does.
  const [token, expired] = [await issuer.token(-55), sleep(6_000)]
  slow = () => expired
  const answers = [using, direct, careless].map(tenant => tenant.call('e', undefined, bearer(token)))
  const [refused, refusedDirectly, answered] = await Promise.all(answers)
  expect(refused).toMatchObject({ status: 401, body: problem(401, 'unauthenticated', using.path('e')) })
  expect(refusedDirectly).toMatchObject({ status: 401, body: problem(401, 'unauthenticated', direct.path('e')) })
  for (const each of [refused, refusedDirectly]) expect(each?.headers.get('www-authenticate')).toMatch(/^Bearer /)
  expect(answered?.status).toBe(200)
  expect(provider.seen.map(({ path }) => path)).not.toContain('/later')
  const { path, headers } = provider.seen.at(-1) ?? {}
  expect([path, headers?.authorization]).toEqual(['/careless', undefined])
  const { client, close } = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  // A run ends some milliseconds after its caller is answered.
  const held = ({ tenantKey }: { tenantKey: string }) =>
    until('the run is over', async () => {
      const { opened } = await heldOfRuns(client, `TenantKey = '${tenantKey}' AND ExecutionStatus != 'Running'`)
      return opened || undefined
    })
  expect(await held(using), 'an activity of the run').toContain('validateToken')
  expect(await held(careless)).not.toContain('validateToken')
  await close()
})

test("a template that names the user's token is a fault of the endpoint if there is none, and nothing is sent", async () => {
  const tenant = await glueTenant({
    providers: [{ key: 'p', url: provider.url }],
    endpoints: [{ key: 'e', steps: [call('first', withToken)] }],
  })
  const before = provider.seen.length
  expect(await tenant.call('e', undefined, bearer(await issuer.token()))).toMatchObject({ status: 500 })
  expect(provider.seen.length).toBe(before)
})
