// Prometheus metrics of the API process and the installation, and the port on which they are read.
import { createServer, type Server } from 'node:http'
import type { Knex } from 'knex'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { attentionKinds, countAttention } from '../db/attention/attention.js'
import { countCircuits } from '../db/glue/providers/circuits.js'
import { countOpenJobs, waitingTimes } from '../db/jobs/jobs-across-tenants.js'
import type { Log } from '../runtime/observe/log.js'
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
export function serveMetrics(port: number, host: string, db: Knex, log: Pick<Log, 'warn'>): Server {
  const platform = platformMetrics(db, log)
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
 * Creates the metrics of the whole installation, which are the same in every API process. One that cannot be read is left out, so that it
 * does not look as if there were nothing.
 */
function platformMetrics(db: Knex, log: Pick<Log, 'warn'>): Registry {
  const platform = new Registry()
  function gauge<Label extends string>(
    name: string,
    { help, labelNames, read }: { help: string; labelNames: Label[]; read(gauge: Gauge<Label>): Promise<void> },
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [platform],
      async collect() {
        this.reset()
        await read(this).catch(err => log.warn({ err, metric: name }, 'a metric cannot be read'))
      },
    })
  }
  gauge('armature_jobs', {
    help: 'Jobs of all tenants that have not ended, by kind and status',
    labelNames: ['kind', 'status'],
    async read(gauge) {
      for (const { kind, status, jobs } of await countOpenJobs(db)) gauge.set({ kind, status }, jobs)
    },
  })
  gauge('armature_oldest_waiting_job_seconds', {
    help: 'Age of the oldest job of all tenants that has not begun, by task queue',
    labelNames: ['queue'],
    async read(gauge) {
      for (const { queue, seconds } of await waitingTimes(db)) gauge.set({ queue }, seconds)
    },
  })
  gauge('armature_provider_circuits', {
    help: 'Circuits to providers that have been open in a running process, over all tenants, by state',
    labelNames: ['state'],
    async read(gauge) {
      for (const { state, circuits } of await countCircuits(db)) gauge.set({ state }, circuits)
    },
  })
  gauge('armature_attention', {
    help: 'Things that wait for a human, by tenant and kind. Without a tenant: those of tenants beyond the largest ones',
    labelNames: ['tenant', 'kind'],
    async read(gauge) {
      const counts = await countAttention(db)
      for (const kind of attentionKinds) gauge.set({ tenant: '', kind }, 0)
      const inOrder = counts.toSorted((a, b) => b.amount - a.amount)
      for (const [n, { tenant, kind, amount }] of inOrder.entries())
        if (n < maxAttentionSeries) gauge.set({ tenant, kind }, amount)
        else gauge.inc({ tenant: '', kind }, amount)
    },
  })
  return platform
}

/** How many tenants and kinds have a series of their own, which is more than anybody could see to. */
const maxAttentionSeries = 1_000
