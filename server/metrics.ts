import type { Knex } from 'knex'
import { collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client'
import { countCircuits } from '../db/glue/circuits.js'
import { openStatuses } from '../db/jobs/jobs.js'

collectDefaultMetrics({ prefix: 'armature_' })

export const requestSeconds = new Histogram({
  name: 'armature_http_request_seconds',
  help: 'Time from request to answer by route',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
})

/** Gauges read when they are asked for: the pool's use, jobs that wait or run, and the age of the oldest one that waits. */
export function observe(db: Knex): void {
  const pool = () => db.client.pool
  new Gauge({
    name: 'armature_database_connections',
    help: 'Connections of this process by state',
    labelNames: ['state'],
    collect() {
      this.set({ state: 'used' }, pool().numUsed())
      this.set({ state: 'free' }, pool().numFree())
      this.set({ state: 'waited_for' }, pool().numPendingAcquires())
    },
  })
  new Gauge({
    name: 'armature_jobs',
    help: 'Jobs of all tenants that have not ended, by kind and status',
    labelNames: ['kind', 'status'],
    async collect() {
      this.reset()
      const open = db('jobs').whereIn('tenant_id', db('tenants').select('id')).whereIn('status', openStatuses)
      // While the database is away this one is missing, and the rest can still be read.
      const rows: { kind: string; status: string; jobs: number }[] = await open
        .groupBy('kind', 'status')
        .select('kind', 'status', db.raw('COUNT(*) AS jobs'))
        .catch(() => [])
      for (const { kind, status, jobs } of rows) this.set({ kind, status }, Number(jobs))
    },
  })
  new Gauge({
    name: 'armature_provider_circuits',
    help: 'Circuits to providers that have been open in a running process, over all tenants, by state',
    labelNames: ['state'],
    async collect() {
      this.reset()
      for (const { state, circuits } of await countCircuits(db).catch(() => [])) this.set({ state }, circuits)
    },
  })
}

/** The Prometheus text of all metrics of this process. */
export const metricsText = (): Promise<string> => register.metrics()
export const metricsType = register.contentType
