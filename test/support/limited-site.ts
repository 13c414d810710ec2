// A provider with limits, and a tenant that calls it.
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import type { Tenant } from './api.js'
import { allowedServer } from './provider.js'

/** A provider whose calls take 100 ms, with a note of when they came and how many were under way at once. */
export async function limitedSite(of: { baseUrl: string; providerPorts?: number[] } = { baseUrl: inject('baseUrl') }) {
  const site = await allowedServer(of.providerPorts)
  const seen = { arrivals: [] as number[], mostInFlight: 0 }
  let inFlight = 0
  site.answer(async (_, response) => {
    seen.arrivals.push(performance.now())
    seen.mostInFlight = Math.max(seen.mostInFlight, ++inFlight)
    await sleep(100)
    inFlight--
    response.end('answered')
  })
  return {
    seen,
    stop: site.stop,
    /**
     * The section `glue` of a tenant whose endpoint `call` calls this provider within the limits.
     * @param others so many more providers with these limits, which nobody calls.
     */
    glueWith: (limits: object, others = 0) => ({
      providers: [
        { key: 'limited', url: site.url, limits },
        ...Array.from({ length: others }, (_, n) => ({ key: `other-${n}`, url: site.url, limits })),
      ],
      endpoints: [
        {
          key: 'call',
          steps: [
            { name: 'answer', httpRequest: { provider: 'limited', method: 'GET', url: '/' } },
            { name: 'end', respond: { body: '{{ steps.answer.body }}' } },
          ],
        },
      ],
    }),
    /** Calls the endpoint so often at once. @returns the statuses and bodies. */
    callAtOnce: ({ tenantKey }: Tenant, count: number) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const answer = await fetch(`${of.baseUrl}/glue/${tenantKey}/call`, { method: 'POST' })
          return `${answer.status} ${await answer.text()}`
        }),
      ),
  }
}
