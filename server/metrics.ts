// Prometheus metrics of the API process and the installation, and the port on which they are read.
import { createServer, type Server } from 'node:http'
import type { Knex } from 'knex'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { attentionKinds, countAttention } from '../db/attention/attention.js'
import { countCircuits } from '../db/glue/providers/circuits.js'
import { countOpenJobs, waitingTimes } from '../db/jobs/jobs-across-tenants.js'
import { metricsText, metricsType, onceASecond, processMetrics } from '../runtime/observe/metrics.js'

const requests = new Counter({
  name: 'armature_http_requests_total',
  help: 'Requests by route and status',
  labelNames: ['method', 'route', 'status'],
  registers: [processMetrics],
})

// Without the status, and with few buckets: each is a series for every route.
const requestSeconds = new Histogram({
  name: 'armature_http_request_seconds',
  help: 'Time from request to answer by route',
  labelNames: ['method', 'route'],
  buckets: [0.005, 0.025, 0.1, 0.25, 1, 5, 60],
  registers: [processMetrics],
})

/** Counts a request that was answered. */
export function countRequest(method: string, route: string, status: number, seconds: number): void {
  requests.inc({ method, route, status })
  requestSeconds.observe({ method, route }, seconds)
}

/**
 * Serves the metrics on a port of their own, which callers of the API need not reach: `/metrics` those of this process,
 * `/metrics/platform` those of the installation. If the port is taken, the process ends.
 */
export function serveMetrics(port: number, host: string, db: Knex): Server {
  const platform = platformMetrics(db)
  const texts: Record<string, () => Promise<string>> = {
    '/metrics': metricsText,
    '/metrics/platform': onceASecond(() => platform.metrics()),
  }
  const server = createServer(async ({ url = '' }, response) => {
    const make = Object.hasOwn(texts, url) ? texts[url] : undefined
    if (!make) return response.writeHead(404).end('This port answers /metrics and /metrics/platform.')
    const text = await make().catch(() => undefined)
    if (text === undefined) return response.writeHead(503).end('The metrics could not be read. Ask again.')
    return response.writeHead(200, { 'content-type': metricsType }).end(text)
  })
  return server.listen(port, host)
}

/**
 * Creates the metrics of the whole installation, which are the same in every API process. A metric that cannot be read
 * is left out.
 */
function platformMetrics(db: Knex): Registry {
  const platform = new Registry()
  const registers = [platform]
  new Gauge({
    name: 'armature_jobs',
    help: 'Jobs of all tenants that have not ended, by kind and status',
    labelNames: ['kind', 'status'],
    registers,
    async collect() {
      this.reset()
      for (const { kind, status, jobs } of await countOpenJobs(db).catch(() => [])) this.set({ kind, status }, jobs)
    },
  })
  new Gauge({
    name: 'armature_oldest_waiting_job_seconds',
    help: 'Age of the oldest job of all tenants that has not begun, by task queue',
    labelNames: ['queue'],
    registers,
    async collect() {
      this.reset()
      for (const { queue, seconds } of await waitingTimes(db).catch(() => [])) this.set({ queue }, seconds)
    },
  })
  new Gauge({
    name: 'armature_provider_circuits',
    help: 'Circuits to providers that have been open in a running process, over all tenants, by state',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset()
      for (const { state, circuits } of await countCircuits(db).catch(() => [])) this.set({ state }, circuits)
    },
  })
  new Gauge({
    name: 'armature_attention',
    help: 'Things that wait for a human, by tenant and kind. Without a tenant: those of tenants beyond the largest ones',
    labelNames: ['tenant', 'kind'],
    registers,
    async collect() {
      this.reset()
      const counts = await countAttention(db).catch(() => undefined)
      // Left out altogether if it cannot be read, so that it does not look as if nothing waited.
      if (!counts) return
      for (const kind of attentionKinds) this.set({ tenant: '', kind }, 0)
      const inOrder = counts.toSorted((a, b) => b.amount - a.amount)
      for (const [n, { tenant, kind, amount }] of inOrder.entries())
        if (n < maxAttentionSeries) this.set({ tenant, kind }, amount)
        else this.inc({ tenant: '', kind }, amount)
    },
  })
  return platform
}

/** How many tenants and kinds have a series of their own, which is more than anybody could see to. */
const maxAttentionSeries = 1_000
