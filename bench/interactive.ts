// Measures small bulks against a bare route.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { connect } from '../db/connect.js'
import { transaction } from '../db/errors.js'
import { lockHierarchy, setHierarchyVersion } from '../db/frame/hierarchy/hierarchy.js'
import { writeEntities } from '../db/frame/hierarchy/structural-entities.js'
import { type EntityInput, planEntities } from '../db/frame/hierarchy/structural-entity-plan.js'
import { newTenant } from '../test/support/api.js'
import { temporalClient } from '../test/support/jobs.js'
import type { Stack } from '../test/support/stack.js'
import { benchType, hierarchy } from './entities.js'
import { median } from './measure.js'

export interface InteractiveFigures {
  size: number
  /** Median ms of a request, as a job and for the same work in a bare route. */
  job: number
  bare: number
}

/** Measures a small bulk against a Koa route that plans and writes the same items without a job. */
export async function measureInteractive(stack: Stack, size: number, calls: number): Promise<InteractiveFigures> {
  const tenant = await newTenant(stack.baseUrl)
  await tenant.put('/api/v1/structureType', benchType)
  const bare = await bareRoute(stack.databaseUrl, tenant.tenantKey)
  const batch = (call: number, name: string) =>
    JSON.stringify(hierarchy(size).map(item => ({ ...item, DisplayName: `${name} ${call}` })))
  const times = { job: [] as number[], bare: [] as number[] }
  try {
    for (let call = -10; call < calls; call++) {
      const job = await timed(() => tenant.put('/api/v1/structuralEntity/bulk', batch(call, 'job')))
      const floor = await timed(() => tenant.put(bare.url, batch(call, 'bare')))
      // The first calls are a warm-up.
      if (call < 0) continue
      times.job.push(job)
      times.bare.push(floor)
    }
  } finally {
    await bare.stop()
  }
  return { size, job: median(times.job), bare: median(times.bare) }
}

/**
 * Measures bulks of 20 entities, as jobs, from eight concurrent callers with a tenant each.
 * @returns median ms; bulks per second; and the runs still open when the last answer arrives.
 */
export async function measureCrowd(
  stack: Stack,
  calls: number,
): Promise<{ p50: number; perSecond: number; open: number }> {
  const temporal = await temporalClient(stack.temporalAddress)
  const body = JSON.stringify(hierarchy(20))
  const times: number[] = []
  const tenants = await Promise.all(Array.from({ length: 8 }, () => newTenant(stack.baseUrl)))
  for (const tenant of tenants) await tenant.put('/api/v1/structureType', benchType)
  const started = performance.now()
  await Promise.all(
    tenants.map(async tenant => {
      for (let call = 0; call < calls; call++) {
        times.push(await timed(() => tenant.put('/api/v1/structuralEntity/bulk', body)))
      }
    }),
  )
  const perSecond = (times.length * 1_000) / (performance.now() - started)
  const query = "ExecutionStatus = 'Running' AND WorkflowType = 'structuralEntityBulkUpsert'"
  const { count: open } = await temporal.client.workflow.count(query)
  await temporal.close()
  return { p50: median(times), perSecond, open }
}

async function timed(call: () => Promise<{ status: number; body: unknown }>): Promise<number> {
  const started = performance.now()
  const { status, body } = await call()
  if (status !== 204) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return performance.now() - started
}

async function bareRoute(databaseUrl: string, tenantKey: string) {
  const db = connect(databaseUrl, { poolSize: 5 })
  const { id: tenant } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  const app = new Koa().use(koaBody({ json: false, textTypes: ['json'], textLimit: '32mb' })).use(async ctx => {
    const items: EntityInput[] = JSON.parse(String(ctx.request.body))
    await transaction(db, 'unqueued', async trx => {
      const { version, orders } = await lockHierarchy(trx, tenant)
      const planned = await planEntities(trx, tenant, items, { allows: () => true, maxDepth: 1_000 })
      await writeEntities(trx, tenant, planned, orders)
      await setHierarchyVersion(trx, tenant, version + 1)
    })
    ctx.status = 204
  })
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await db.destroy()
    },
  }
}
