// Measures calls through the router beside the same calls of the API itself.
import { join } from 'node:path'
import { connect } from '../db/connect.js'
import { routerProgram } from '../dev/own-processes.js'
import { supervise } from '../dev/supervise.js'
import { claimPorts } from '../test/support/ports.js'
import { isReady } from '../test/support/readiness.js'
import type { Stack } from '../test/support/stack.js'
import { type Call, timeCalls } from './calls.js'
import { line, median, percentile, processorTimeOfAll, thousands } from './measure.js'
import { seededTenant } from './people.js'

const clients = 16

/** Calls through the router and past it, by turns, so that both see the same machine. */
export async function benchRouter(stack: Stack, short: boolean): Promise<void> {
  const calls = short ? 300 : 5_000
  const rounds = short ? 2 : 5
  console.log(`Calls through the router (${rounds} rounds of ${thousands(calls)}, ${clients} at a time)…`)
  const db = connect(stack.databaseUrl, { poolSize: 4 })
  const tenant = await seededTenant(stack.baseUrl, db, 10_000, () => undefined)
  const ids: string[] = await db('subjects').where({ tenant_id: tenant.tenantId }).limit(2_000).pluck('id')
  await db.destroy()
  const { ports, release } = await claimPorts()
  const [port = 0] = ports
  const baseUrl = `http://127.0.0.1:${port}`
  const settings = { CELL_URLS: `main=${stack.baseUrl}`, CELL_DATABASE_URLS: `main=${stack.databaseUrl}` }
  const router = supervise(routerProgram({ ...process.env, PORT: String(port), ...settings }), {
    logDir: join(stack.dataDir, 'logs'),
    log: () => undefined,
  })
  const works: Record<string, (n: number) => Call> = {
    'a subject by id': n => ({ method: 'GET', path: `/api/v2/subject/${ids[n % ids.length]}` }),
    'a page of 50 subjects': () => ({ method: 'GET', path: '/api/v2/subject?First=50' }),
    'a new version of a type': n => ({
      method: 'PUT',
      path: '/api/v1/structureType',
      body: JSON.stringify({ Key: `t${n % 50}`, Name: `Type ${n}`, SubjectAssignable: true, CustomFields: [] }),
    }),
  }
  try {
    await router.ready(() => isReady(baseUrl))
    for (const [name, work] of Object.entries(works)) {
      const count = name === 'a subject by id' ? calls : Math.ceil(calls / 5)
      const one = { work, calls: count, clients, token: tenant.token }
      const [direct, routed, routerMs]: [Figures[], Figures[], number[]] = [[], [], []]
      for (let n = -1; n < rounds; n++) {
        const past = figuresOf(await timeCalls(stack.baseUrl, one))
        const before = processorTimeOfAll(router.pid)
        const through = figuresOf(await timeCalls(baseUrl, one))
        if (n < 0) continue
        direct.push(past)
        routed.push(through)
        routerMs.push((processorTimeOfAll(router.pid) - before) / count)
      }
      const show = (figure: keyof Figures, text: (value: number) => string) => {
        const of = (all: Figures[]) => median(all.map(each => each[figure]))
        // Of each round by itself: the two stand beside each other in time.
        const ratio = median(routed.map((each, n) => each[figure] / (direct[n]?.[figure] ?? Number.NaN)))
        line(`  ${name}, ${figure}`, text(of(routed)), text(of(direct)), ratio.toFixed(2), '')
      }
      show('calls', value => `${thousands(value)}/s`)
      show('p50', value => `${value.toFixed(1)} ms`)
      show('p95', value => `${value.toFixed(1)} ms`)
      line(`  ${name}, processor of the router`, `${median(routerMs).toFixed(3)} ms`, '', '', 'a call')
    }
  } finally {
    await router.stop()
    await release()
  }
}

interface Figures {
  calls: number
  p50: number
  p95: number
}

const figuresOf = ({ perSecond, times }: { perSecond: number; times: number[] }): Figures => ({
  calls: perSecond,
  p50: percentile(times, 50),
  p95: percentile(times, 95),
})
