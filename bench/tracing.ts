// Measures an API that sends traces beside one that makes none.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect } from '../db/connect.js'
import { apiProgram } from '../dev/own-processes.js'
import { supervise } from '../dev/supervise.js'
import { claimPorts } from '../test/support/ports.js'
import { isReady } from '../test/support/readiness.js'
import type { Stack } from '../test/support/stack.js'
import { type Call, timeCalls } from './calls.js'
import { line, median, processorTime, thousands } from './measure.js'
import { seededTenant } from './people.js'

const clients = 16

/** Calls of an API with all its traces kept, with a tenth, and without any. By turns, so that all see the same machine. */
export async function benchTracing(stack: Stack, short: boolean): Promise<void> {
  const calls = short ? 80 : 5_000
  const rounds = short ? 1 : 5
  console.log(`Traces on and off (${rounds} rounds of ${thousands(calls)} calls, ${clients} at a time)…`)
  const db = connect(stack.databaseUrl, { poolSize: 4 })
  const tenant = await seededTenant(stack.baseUrl, db, short ? 1_000 : 10_000, () => undefined)
  const ids: string[] = await db('subjects').where({ tenant_id: tenant.tenantId }).limit(2_000).pluck('id')
  await db.destroy()
  const { ports, release } = await claimPorts()
  const collector = createServer((request, response) => request.resume().on('end', () => response.end()))
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const tenth = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
  const traced = { ...tenth, OTEL_TRACES_SAMPLER: 'parentbased_always_on' }
  const apis = {
    off: await startApi(stack, 'off', ports[0], {}),
    all: await startApi(stack, 'all', ports[1], traced),
    tenth: await startApi(stack, 'tenth', ports[2], tenth),
  }
  const works = {
    // First: a process that has written once keeps contexts for its turns, traced or not.
    'a bulk of one type': (n: number) => ({
      method: 'PUT' as const,
      path: '/api/v1/structureType/bulk',
      body: JSON.stringify([{ Key: `t${n % 50}`, Name: `Type ${n}`, SubjectAssignable: true, CustomFields: [] }]),
    }),
    'a subject by id': (n: number) => ({ method: 'GET' as const, path: `/api/v2/subject/${ids[n % ids.length]}` }),
    'a page of 50 subjects': () => ({ method: 'GET' as const, path: '/api/v2/subject?First=50' }),
  }
  try {
    for (const [name, work] of Object.entries(works)) {
      const count = name === 'a subject by id' ? calls : Math.ceil(calls / 5)
      const figures: Record<Which, Figures>[] = []
      for (let n = -1; n < rounds; n++) {
        const of = async (which: Which) => round(apis[which], work, count, tenant.token)
        const three = { off: await of('off'), all: await of('all'), tenth: await of('tenth') }
        if (n >= 0) figures.push(three)
      }
      const of = (which: Which, figure: keyof Figures) => median(figures.map(each => each[which][figure]))
      for (const which of ['all', 'tenth'] as const) {
        // Of each round by itself: the two stand beside each other in time.
        const share = (figure: keyof Figures) =>
          median(figures.map(each => each[which][figure] / each.off[figure])).toFixed(3)
        const cells = (figure: keyof Figures, text: (value: number) => string) =>
          [text(of(which, figure)), text(of('off', figure)), share(figure)] as const
        const kept = which === 'all' ? '' : ', a tenth kept'
        line(`  ${name}${kept}, processor`, ...cells('processorMs', value => `${value.toFixed(3)} ms`), '≤ 1.05')
        line(`  ${name}${kept}, calls`, ...cells('perSecond', value => `${thousands(value)}/s`), '≥ 0.95')
      }
    }
  } finally {
    await Promise.all(Object.values(apis).map(each => each.stop()))
    collector.closeAllConnections()
    collector.close()
    await release()
  }
}

type Which = 'off' | 'all' | 'tenth'

interface Figures {
  processorMs: number
  perSecond: number
}

type Api = Awaited<ReturnType<typeof startApi>>

async function startApi(stack: Stack, name: string, port = 0, more: NodeJS.ProcessEnv = {}) {
  const baseUrl = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    PORT: String(port),
    DATABASE_URL: stack.databaseUrl,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    ENCRYPTION_KEY: stack.encryptionKey,
    IDENTITY_AUTHORITY: `${stack.baseUrl}/identity`,
    ...more,
  }
  const api = supervise(
    { ...apiProgram(env), name: `api-${name}` },
    { logDir: join(stack.dataDir, 'logs'), log: () => undefined },
  )
  await api.ready(() => isReady(baseUrl))
  return { baseUrl, pid: () => api.pid, stop: api.stop }
}

async function round({ baseUrl, pid }: Api, work: (n: number) => Call, calls: number, token: string): Promise<Figures> {
  const startedAt = processorTime(pid())
  const { perSecond } = await timeCalls(baseUrl, { work, calls, clients, token })
  return { perSecond, processorMs: (processorTime(pid()) - startedAt) / calls }
}
