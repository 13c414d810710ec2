// Measures endpoints against direct calls to the provider.
import { text } from 'node:stream/consumers'
import { glueTenant } from '../test/support/factories.js'
import { allowedServer } from '../test/support/provider.js'
import type { Stack } from '../test/support/stack.js'
import { line, median } from './measure.js'

/** Body that is sent to the provider, through the endpoint and directly. */
const visit = JSON.stringify({ id: 7, name: 'Ada Okafor', notes: 'x'.repeat(500) })

/** Measures an endpoint with one provider call against the same call without the platform. */
export async function benchGlueEndpoint(stack: Stack, short: boolean): Promise<void> {
  console.log('An endpoint with one HTTP step…')
  const provider = await allowedServer(stack.providerPorts)
  provider.answer(async (request, response) => {
    const body = await text(request)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  const step = { provider: 'p', method: 'POST', url: 'visits', body: '{{ request.body | json }}' }
  const endpoints = [
    { key: 'reading', steps: [{ name: 'send', httpRequest: { ...step, idempotent: true } }] },
    { key: 'durable', durable: true, steps: [{ name: 'send', httpRequest: { ...step, idempotent: true } }] },
    { key: 'once', steps: [{ name: 'send', httpRequest: step }] },
  ]
  const tenant = await glueTenant({ providers: [{ key: 'p', url: provider.url }], endpoints }, {}, stack.baseUrl)
  const at = (path: string, base: string): Timed => ({ url: new URL(path, base), times: [] })
  const reading = at(tenant.path('reading'), stack.baseUrl)
  const durable = at(tenant.path('durable'), stack.baseUrl)
  const once = at(tenant.path('once'), stack.baseUrl)
  const direct = at('/visits', provider.url)
  const calls = short ? 50 : 300
  try {
    for (let call = -50; call < calls; call++) {
      for (const { url, times } of [reading, durable, once, direct]) {
        const time = await timed(url)
        // The first calls are a warm-up.
        if (call >= 0) times.push(time)
      }
    }
  } finally {
    await provider.stop()
  }
  const floor = median(direct.times)
  const ms = (value: number) => `${value.toFixed(1)} ms`
  const above = ({ times }: Timed) => [ms(median(times)), ms(floor), `+${ms(median(times) - floor)}`] as const
  line('  that only reads, p50', ...above(reading), '≤ 5 ms above')
  line('  durable, p50', ...above(durable), '')
  // A call that must not be repeated takes longer: its start is recorded in the run's history before it is sent.
  line('  not to be repeated, p50', ...above(once), '≤ 40 ms above')
}

interface Timed {
  url: URL
  times: number[]
}

async function timed(url: URL): Promise<number> {
  const started = performance.now()
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: visit })
  const body = await answer.text()
  if (body !== visit) throw new Error(`${answer.status}: ${body}`)
  return performance.now() - started
}
