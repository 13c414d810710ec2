// A provider that fails now and then.
import { EventEmitter, once } from 'node:events'
import { expect } from 'vitest'
import { loopbackServer } from './loopback.js'
import { providerAt, providerCalls } from './provider-calls.js'

/** A provider that answers with the status it is told, and the calls of it by a process of its own. */
export async function unreliableProvider(options: { tenant?: number } = {}) {
  const told = { status: 200 }
  let held: Promise<unknown> | undefined
  const site = await loopbackServer(async (_, response) => {
    await held
    response.writeHead(told.status).end()
  })
  const calls = providerCalls({ allow: [site.host], ...options })
  const to = (key: string, more = {}) => ({ provider: providerAt(site.url, { key }), url: `${site.url}/`, ...more })
  const fails = (key = 'one') => calls.failure(to(key))
  return {
    site,
    process: calls.process,
    lines: calls.lines,
    /** From now on it answers so. */
    answers(status: number): void {
      told.status = status
    },
    /** Answers wait until what this returns is called. */
    hold(): () => void {
      const gate = new EventEmitter()
      held = once(gate, 'open')
      return () => gate.emit('open')
    },
    call: (key = 'one', more: { signal?: AbortSignal } = {}) => calls.call(to(key, more)),
    fails,
    /** Fails so often with the provider's own status. */
    async failsTimes(count: number, key?: string): Promise<void> {
      told.status = 503
      for (let n = 0; n < count; n++) expect(await fails(key)).toMatchObject({ reason: 'status', status: 503 })
    },
    async stop() {
      await calls.stop()
      await site.stop()
    },
  }
}
