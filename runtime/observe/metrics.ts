// Provides the metrics of a process in Prometheus' text format, including those of the Temporal SDK.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Knex } from 'knex'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** The registry of this process's own metrics. */
export const processMetrics = new Registry()
collectDefaultMetrics({ prefix: 'armature_', register: processMetrics })

export const metricsType = processMetrics.contentType

/** Adds metrics of this process's connections to the database. */
export function observePool(db: Knex): void {
  const pool = () => db.client.pool
  new Gauge({
    name: 'armature_database_connections',
    help: 'Connections of this process by state',
    labelNames: ['state'],
    registers: [processMetrics],
    collect() {
      this.set({ state: 'used' }, pool().numUsed())
      this.set({ state: 'free' }, pool().numFree())
      this.set({ state: 'waited_for' }, pool().numPendingAcquires())
    },
  })
}

let sdkAddress: string | undefined

/** Finds a free port on loopback for the SDK's metrics, and remembers the address for {@link metricsText}. */
export async function addressForSdkMetrics(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (address === null || typeof address === 'string') throw new Error('The probe has no port')
  sdkAddress = `127.0.0.1:${address.port}`
  return sdkAddress
}

/** How long a text of metrics is answered before it is made anew, in ms. */
const keptMs = 1_000

/** Returns a function that makes a text of metrics at most once a second, however many ask for it. */
export function onceASecond(make: () => Promise<string>): () => Promise<string> {
  let text: Promise<string> | undefined
  let madeAt = 0
  return () => {
    const now = performance.now()
    if (text && now - madeAt < keptMs) return text
    madeAt = now
    const made = make()
    text = made
    // What could not be made is not kept.
    made.catch(() => {
      if (text === made) text = undefined
    })
    return made
  }
}

/** Returns the metrics of this process, and those of the Temporal SDK once it is installed. They are at most a second old. */
export const metricsText = onceASecond(
  async () => (await processMetrics.metrics()) + (sdkAddress === undefined ? '' : await sdkMetrics(sdkAddress)),
)

/**
 * Matches metrics of a single provider's queue. They are left out because their names reveal tenants and there is a set
 * for every provider.
 */
const ofProviderQueue = /task_queue="provider\//

async function sdkMetrics(address: string): Promise<string> {
  try {
    const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(2_000) })
    const lines = (await answer.text()).split('\n')
    return lines.filter(line => !ofProviderQueue.test(line)).join('\n')
  } catch (error) {
    // The process's own metrics are useful even without these.
    return `# The Temporal SDK gives no metrics: ${error instanceof Error ? error.message : error}\n`
  }
}
