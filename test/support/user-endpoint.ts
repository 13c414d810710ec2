// Creates endpoints that answer with the token and body of their caller.
import { inject } from 'vitest'
import { newTenant } from './api.js'
import { startCallers } from './glue-callers.js'
import { startSecondProvider } from './second-provider.js'

/** Creates an endpoint that requires a user's token of a second provider, another that is open to everybody, and tokens for them. */
export async function startUserEndpoint() {
  const provider = await startSecondProvider()
  const callers = await startCallers([new URL(provider.url).host])
  const steps = [{ name: 'answer', respond: {} }]
  const openIdConnect = { authority: provider.issuer, audiences: 'app-a' }
  const endpoints = [
    { key: 'users', steps, authentication: [{ openIdConnect }] },
    { key: 'open', steps },
  ]
  const { tenantKey } = await newTenant(inject('baseUrl'), {}, { glue: { endpoints } })
  return {
    provider,
    callers,
    path: `${tenantKey}/users`,
    openPath: `${tenantKey}/open`,
    good: await provider.token(),
    /** Also valid, but for another user, so that an answer shows which token was read. */
    otherGood: await provider.token({ sub: 'grace' }),
    bad: await provider.token({ aud: 'nobody' }),
    stop: () => Promise.all([callers.stop(), provider.stop()]),
  }
}

export type Fields = [name: string, value: string][]

export const urlencoded = (fields: Fields): RequestInit => ({ body: new URLSearchParams(fields) })

/** Makes a multipart body as browsers do. */
export function multipart(fields: Fields): RequestInit {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return { body: form }
}

export const withHeader = (init: RequestInit, authorization: string): RequestInit => ({
  ...init,
  headers: { authorization },
})
