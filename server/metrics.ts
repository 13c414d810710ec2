// Prometheus metrics of the API process and the installation.
import type { Knex } from 'knex'
import { Gauge, Histogram, Registry } from 'prom-client'
import { countCircuits } from '../db/glue/providers/circuits.js'
import { countOpenJobs, waitingTimes } from '../db/jobs/jobs-across-tenants.js'
import { processMetrics } from '../runtime/observe/metrics.js'

export const requestSeconds = new Histogram({
  name: 'armature_http_request_seconds',
  help: 'Time from request to answer by route',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  registers: [processMetrics],
})

/**
 * Creates the metrics of the whole installation, which are the same in every API process. A metric that cannot be read
 * is left out.
 */
export function platformMetrics(db: Knex): Registry {
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
  return platform
}
