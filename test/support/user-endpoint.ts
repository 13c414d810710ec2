// An endpoint that shows the claims of its caller.
import { inject } from 'vitest'
import { newTenant } from './api.js'
import { startCallers } from './glue-callers.js'
import { startSecondProvider } from './second-provider.js'

/** An endpoint that asks for a user's token of a second provider, one that is open to everybody, and tokens. */
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
    /** Valid as well, but another text: shows which one was read. */
    otherGood: await provider.token({ sub: 'grace' }),
    bad: await provider.token({ aud: 'nobody' }),
    stop: () => Promise.all([callers.stop(), provider.stop()]),
  }
}

export type Fields = [name: string, value: string][]

export const urlencoded = (fields: Fields): RequestInit => ({ body: new URLSearchParams(fields) })

/** With the heads of the parts as browsers write them. */
export function multipart(fields: Fields): RequestInit {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return { body: form }
}

export const withHeader = (init: RequestInit, authorization: string): RequestInit => ({
  ...init,
  headers: { authorization },
})
