import { text } from 'node:stream/consumers'
import { glueTenant } from '../test/support/endpoints.js'
import { allowedServer } from '../test/support/provider.js'
import type { Stack } from '../test/support/stack.js'
import { line, median } from './measure.js'

/** Sent to the provider by the endpoint, and without it. */
const visit = JSON.stringify({ id: 7, name: 'Ada Okafor', notes: 'x'.repeat(500) })

/** What a caller waits for an endpoint with one call of a provider, beside the same call without the platform. */
export async function benchGlueEndpoint(stack: Stack, short: boolean): Promise<void> {
  console.log('An endpoint with one HTTP step…')
  const provider = await allowedServer(stack.providerPorts)
  provider.answer(async (request, response) => {
    const body = await text(request)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  const tenant = await glueTenant(
    {
      providers: [{ key: 'p', url: provider.url }],
      endpoints: [
        {
          key: 'visit',
          steps: [
            {
              name: 'send',
              httpRequest: { provider: 'p', method: 'POST', url: 'visits', body: '{{ request.body | json }}' },
            },
          ],
        },
      ],
    },
    {},
    stack.baseUrl,
  )
  const times = { endpoint: [] as number[], direct: [] as number[] }
  const calls = short ? 50 : 300
  try {
    for (let call = -50; call < calls; call++) {
      const endpoint = await timed(new URL(tenant.path('visit'), stack.baseUrl))
      const direct = await timed(new URL('/visits', provider.url))
      // The first calls warm both up.
      if (call < 0) continue
      times.endpoint.push(endpoint)
      times.direct.push(direct)
    }
  } finally {
    await provider.stop()
  }
  const [ours, floor] = [median(times.endpoint), median(times.direct)]
  const ms = (value: number) => `${value.toFixed(1)} ms`
  line('  p50', ms(ours), ms(floor), `+${ms(ours - floor)}`, '≤ 20 ms above')
}

async function timed(url: URL): Promise<number> {
  const started = performance.now()
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: visit })
  const body = await answer.text()
  if (body !== visit) throw new Error(`${answer.status}: ${body}`)
  return performance.now() - started
}
