// Measures reads of one subject against a bare route.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { connect } from '../db/connect.js'
import { seededTenant } from '../test/support/seeded-tenant.js'
import type { Stack } from '../test/support/stack.js'
import { rate } from './calls.js'
import { line, median, percentile, processorTime, thousands } from './measure.js'

const clients = 16

/** Measures reading a subject by its id against a bare route with the same statements in a process of its own. */
export async function benchReads(stack: Stack, short: boolean): Promise<void> {
  const calls = short ? 1_000 : 6_000
  const rounds = short ? 2 : 5
  console.log(`A subject by id (${rounds} rounds of ${thousands(calls)} calls, ${clients} at a time)…`)
  const db = connect(stack.databaseUrl, { poolSize: 4 })
  const tenant = await seededTenant(stack.baseUrl, db, 10_000, () => undefined)
  const ids: string[] = await db('subjects').where({ tenant_id: tenant.tenantId }).limit(2_000).pluck('id')
  await db.destroy()
  const floor = await floorRoute(stack.databaseUrl, tenant.tenantId)
  const ours = reader({ baseUrl: stack.baseUrl, pid: stack.api.pid }, ids, tenant.token)
  const bare = reader(floor, ids, tenant.token)
  try {
    await bare(calls)
    await ours(calls)
    const figures: Record<'bare' | 'ours', Awaited<ReturnType<typeof bare>>>[] = []
    // Alternating, so that both run under the same conditions.
    for (let n = 0; n < rounds; n++) figures.push({ bare: await bare(calls), ours: await ours(calls) })
    const rateOf = (of: 'bare' | 'ours') => median(figures.map(figure => figure[of].perSecond))
    const p95 = (of: 'bare' | 'ours') => median(figures.map(figure => percentile(figure[of].times, 95)))
    const perSecond = (value: number) => `${thousands(value)}/s`
    const ms = (value: number) => `${value.toFixed(2)} ms`
    const ratio = median(figures.map(figure => figure.ours.perSecond / figure.bare.perSecond))
    line('  requests', perSecond(rateOf('ours')), perSecond(rateOf('bare')), ratio.toFixed(2), '≥ 0.60')
    const processor = (of: 'bare' | 'ours') => median(figures.map(figure => figure[of].processorMs))
    const share = (processor('ours') / processor('bare')).toFixed(2)
    line('  processor time of a call', ms(processor('ours')), ms(processor('bare')), share, '')
    line('  p95', ms(p95('ours')), ms(p95('bare')), (p95('ours') / p95('bare')).toFixed(2), '')
  } finally {
    floor.stop()
  }
}

/** Creates a client that reads subjects by id over connections that stay open. */
function reader({ baseUrl, pid }: { baseUrl: string; pid: number | undefined }, ids: readonly string[], token: string) {
  const pool = new Pool(baseUrl, { connections: clients })
  const headers = { authorization: `Bearer ${token}` }
  return async (calls: number) => {
    const startedAt = processorTime(pid)
    const { perSecond, times } = await rate({ calls, clients }, async n => {
      const id = ids[n % ids.length] ?? ''
      const { statusCode, body } = await pool.request({ method: 'GET', path: `/api/v2/subject/${id}`, headers })
      const text = await body.text()
      if (statusCode !== 200 || !text.includes(id)) throw new Error(`${statusCode}: ${text.slice(0, 500)}`)
    })
    return { perSecond, times, processorMs: (processorTime(pid) - startedAt) / calls }
  }
}

async function floorRoute(databaseUrl: string, tenantId: number) {
  const program = fileURLToPath(new URL('./read-floor.js', import.meta.url))
  const child = fork(program, [String(tenantId)], { env: { ...process.env, DATABASE_URL: databaseUrl } })
  const [address] = await once(child, 'message')
  return { baseUrl: `http://127.0.0.1:${address.port}`, pid: child.pid, stop: () => child.kill() }
}
