// Secrets go to the hosts that were named with their values, and to no others.
import { afterAll, beforeEach, expect, test } from 'vitest'
import { recordingProvider } from '../support/endpoints.js'
import { glueTenant } from '../support/factories.js'
import { loopbackServer } from '../support/http.js'
import { manifestOf } from '../support/manifest.js'
import { providerAt, providerCalls, secretValue } from '../support/provider-calls.js'

const [own, elsewhere] = await Promise.all([recordingProvider(), recordingProvider()])
afterAll(() => Promise.all([own.stop(), elsewhere.stop()]))
const hostOf = ({ url }: { url: string }) => new URL(url).host
beforeEach(() => {
  own.seen.length = 0
  elsewhere.seen.length = 0
})

const withHosts = (hosts: string[], url: string, value?: string) => ({
  glue: {
    secrets: [{ name: 'key', hosts, ...(value === undefined ? {} : { value }) }],
    endpoints: [
      { key: 'e', steps: [{ name: 'send', httpRequest: { url, headers: { 'X-Key': '{{ variables.key }}' } } }] },
    ],
  },
})

test('a host is added with the value only, and the fault names secret, host and next step', async () => {
  const tenant = await manifestOf()
  const [first, other] = [`${own.url}/x`, `${elsewhere.url}/x`]
  expect((await tenant.put(withHosts([hostOf(own)], first, 'v'))).status).toBe(200)
  const pointer = '/glue/endpoints/0/steps/0/httpRequest/headers/X-Key'
  expect((await tenant.put(withHosts([hostOf(own)], other))).body).toMatchObject({
    status: 400,
    errors: [
      {
        pointer,
        code: 'secret-elsewhere',
        detail: `Line 1, column 4: The secret 'key' may not go to '${hostOf(elsewhere)}'. Add the host to the secret's hosts, and give its value again.`,
      },
    ],
  })
  const both = [hostOf(own), hostOf(elsewhere)]
  const errors = [
    {
      pointer: '/glue/secrets/0/value',
      code: 'required',
      detail: `The secret 'key' may not go to '${hostOf(elsewhere)}' yet. Give its value again, together with all its hosts.`,
    },
  ]
  for (const answer of [await tenant.plan(withHosts(both, other)), await tenant.put(withHosts(both, other))])
    expect(answer.body).toMatchObject({ status: 400, errors })
  expect((await tenant.put(withHosts(both, other, 'v'))).status).toBe(200)
  // A host that was taken away needs the value too, although the value was once given for it.
  expect((await tenant.put(withHosts([hostOf(elsewhere)], other))).status).toBe(200)
  expect((await tenant.put(withHosts(both, other))).body).toMatchObject({ status: 400, errors: [{ code: 'required' }] })
})

const destinations = {
  header: { headers: { 'X-Key': '{{ variables.key }}' } },
  body: { method: 'POST', body: '{"key": "{{ variables.key }}"}' },
  query: { query: { key: '{{ variables.key }}' } },
  'a name that is put together': {
    headers: { 'X-Key': '{% assign all = "variables" %}{{ [all].key | default: "none" }}' },
  },
}

test.each(Object.entries(destinations))(
  'a host that is known only during the call gets no secret of other hosts: %s',
  async (_, parts) => {
    const tenant = await glueTenant({
      variables: { own: own.url, elsewhere: elsewhere.url },
      secrets: [{ name: 'key', value: secretValue, hosts: [hostOf(own)] }],
      endpoints: ['own', 'elsewhere'].map(key => ({
        key,
        steps: [{ name: 'send', httpRequest: { url: `{{ variables.${key} }}/x`, ...parts } }],
      })),
    })
    await tenant.call('elsewhere')
    expect(JSON.stringify(elsewhere.seen)).not.toContain(secretValue)
    // A query is part of the address, which reads no secrets while its host is unknown.
    if ('query' in parts) return
    expect((await tenant.call('own')).status).toBe(200)
    expect(JSON.stringify(own.seen)).toContain(secretValue)
  },
)

test('the token endpoint in the metadata of an authority gets the secret at the hosts of the secret only', async () => {
  const taken: string[] = []
  const thief = await loopbackServer((request, response) => {
    taken.push(request.headers.authorization ?? 'none')
    response.end()
  })
  const authority = await loopbackServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ issuer: authority.url, token_endpoint: `${thief.url}/token` }))
  })
  const site = await loopbackServer((_, response) => response.end())
  const calls = providerCalls({ allow: [thief.host, authority.host, site.host], hosts: [authority.host, site.host] })
  const authentication = { authority: authority.url, clientId: 'c', clientSecret: '{{ variables.secret }}' }
  const provider = providerAt(site.url, { authentication })
  const failure = await calls.failure({ provider, url: `${site.url}/data` })
  expect(failure).toMatchObject({ retryable: false, message: expect.stringContaining(`may not go to '${thief.host}'`) })
  expect(taken).toEqual([])
  await Promise.all([calls.stop(), thief.stop(), authority.stop(), site.stop()])
})

test('a provider that is not one of the hosts gets no token for the secret', async () => {
  const asked: string[] = []
  const tokens = await loopbackServer((request, response) => {
    asked.push(request.url ?? '')
    response.end()
  })
  const thief = await loopbackServer((_, response) => response.end())
  const calls = providerCalls({ allow: [tokens.host, thief.host], hosts: [tokens.host] })
  const authentication = { tokenUrl: tokens.url, clientId: 'c', clientSecret: '{{ variables.secret }}' }
  const provider = providerAt(thief.url, { authentication })
  await expect(calls.call({ provider, url: `${thief.url}/data` })).rejects.toThrow(`may not go to '${thief.host}'`)
  expect(asked).toEqual([])
  await Promise.all([calls.stop(), tokens.stop(), thief.stop()])
})
