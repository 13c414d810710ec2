// Measures what operators look at all day: what waits for a human, the list of jobs, jobs that are watched, and the audit.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { tenantIdOf } from '../db/admin/tenants.js'
import { sealAll } from '../db/audit/chain.js'
import { connect, type TenantId } from '../db/connect.js'
import { type Api, admin, newTenant, type Tenant } from '../test/support/api.js'
import { storeJob } from '../test/support/jobs.js'
import type { Stack } from '../test/support/stack.js'
import { line, numberAsked, percentile, processorTimeOfAll, thousands } from './measure.js'
import { saveJobs } from './sweep.js'

const calls = 40
const watched = 100
/** Events that one statement copies. */
const mostCopied = 250_000
/** Streams that a tenant may have open, in one process. */
const streamsOfTenant = 50

/** Prints the times of these calls, each beside one that finds next to nothing in the same run. `--events=` says how long the audit is. */
export async function benchOperators(stack: Stack, short: boolean): Promise<void> {
  const [tenants, jobsOfEach, allEvents] = short ? [50, 200, 50_000] : [1_000, 1_000, 10_000_000]
  const events = numberAsked('events') ?? allEvents
  const db = connect(stack.databaseUrl, { poolSize: 2, silenceTimeoutMs: 3_600_000 })
  try {
    const platform = await admin(stack.baseUrl)
    await watchJobs(stack, db, short ? 5 : 20)
    console.log(`Attention and jobs of ${thousands(tenants)} tenants with ${thousands(jobsOfEach)} jobs each…`)
    const template = await newTenant(stack.baseUrl)
    await saveTenants(db, await tenantIdOf(db, template.tenantKey), tenants, jobsOfEach)
    const page = '?First=50'
    await measure('  attention of all', platform, `/admin/v1/attention${page}`, '≤ 50 ms')
    await measure('  jobs of all', platform, `/admin/v1/jobs${page}`, '≤ 150 ms with the next')
    await measure("  the day's jobs by hour", platform, '/admin/v1/jobCounts', '')
    console.log(`An audit of ${thousands(events)} events…`)
    const audited = await newTenant(stack.baseUrl)
    await saveEvents(db, await tenantIdOf(db, audited.tenantKey), events)
    await measure('  events of a person, p95', audited, `/api/v1/audit${page}&Id=person-7`, '≤ 100 ms', 95)
    await measure('  calls for a person, p95', audited, `/api/v1/audit${page}&Person=colleague-7`, '≤ 100 ms', 95)
    await measure('  the newest, p95', audited, `/api/v1/audit${page}`, '', 95)
  } finally {
    await db.destroy()
  }
}

/** Measures a call to the last byte. The floor is a call that finds next to nothing. */
async function measure(what: string, api: Api, path: string, goal: string, percent = 50): Promise<void> {
  const floorPath = path.startsWith('/admin') ? '/admin/v1/tenants/demo' : '/api/v1/jobs?First=1&Status=Failed'
  const timed = async (path: string) => {
    const started = performance.now()
    const { status } = await api.get(path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return performance.now() - started
  }
  const [ours, floor]: [number[], number[]] = [[], []]
  for (let n = 0; n < calls; n++) {
    ours.push(await timed(path))
    floor.push(await timed(floorPath))
  }
  const ms = (values: number[]) => `${percentile(values, percent).toFixed(1)} ms`
  line(what, ms(ours), ms(floor), '', goal)
}

/** Measures the processor time of the API while running jobs are watched, in one list and each by itself. Each moves on once a second. */
async function watchJobs({ baseUrl, api }: Stack, db: Knex, seconds: number): Promise<void> {
  const tenants = await Promise.all(Array.from({ length: watched / streamsOfTenant }, () => newTenant(baseUrl)))
  const ids = await Promise.all(tenants.map(({ tenantKey }) => tenantIdOf(db, tenantKey)))
  const jobs: { tenant: Tenant; path: string }[] = []
  for (const [index, tenant] of tenants.entries())
    for (let n = 0; n < streamsOfTenant; n++) {
      const running = { status: 'Running', started_at: new Date(), run_id: 'bench', total: 1_000 }
      jobs.push({ tenant, path: `/api/v1/jobs/${await storeJob(db, ids[index] ?? 0, running)}` })
    }
  const lists = tenants.map(tenant => ({ tenant, path: '/api/v1/jobs?First=50' }))
  const shareOf = async (streams: typeof jobs): Promise<number> => {
    const end = new AbortController()
    let received = 0
    for (const { tenant, path } of streams) {
      const headers = { authorization: `Bearer ${tenant.token}`, accept: 'text/event-stream' }
      const { status, body } = await fetch(new URL(path, baseUrl), { headers, signal: end.signal })
      if (status !== 200 || !body) throw new Error(`${path} cannot be watched: ${status}`)
      const read = async () => {
        for await (const _ of body) received++
      }
      void read().catch(() => undefined)
    }
    const before = processorTimeOfAll(api.pid)
    for (let second = 0; second < seconds; second++) {
      await db('jobs').whereIn('tenant_id', ids).increment('done', 1)
      await sleep(1_000)
    }
    const share = (processorTimeOfAll(api.pid) - before) / seconds / 10
    end.abort()
    if (received < streams.length * 2) throw new Error(`Only ${received} events came.`)
    return share
  }
  // The first round is a warm-up.
  await shareOf(jobs)
  const floor = await shareOf([])
  const print = (what: string, share: number) =>
    line(what, `${share.toFixed(1)} %`, `${floor.toFixed(1)} %`, '', '≤ 5 % of a core')
  print(`  ${watched} running jobs in ${lists.length} lists`, await shareOf(lists))
  print(`  ${watched} running jobs, each watched by itself`, await shareOf(jobs))
  await db('jobs').whereIn('tenant_id', ids).delete()
}

/** Copies the jobs of one tenant to many others. One in a thousand has failed for a reason that waits for a human. */
async function saveTenants(db: Knex, template: TenantId, tenants: number, jobs: number): Promise<void> {
  await saveJobs(db, template, { to: jobs })
  const problem = { code: 'unexpected', status: 500, title: 'Unexpected', detail: 'It failed.', faults: [] }
  const failed = {
    status: 'Failed',
    kind: 'subjectTransfer',
    problem: JSON.stringify(problem),
  }
  await db('jobs')
    .where({ tenant_id: template })
    .whereRaw('MOD(CAST(SUBSTRING(id, 7) AS UNSIGNED), 1000) = 0')
    .update(failed)
  for (let first = 0; first < tenants; first += 500) {
    const some = Array.from({ length: Math.min(500, tenants - first) }, (_, n) => `bench-operators-${first + n}`)
    const values = some.map(key => `('${key}', '${key}', 'direct', '{}', '{}', CURRENT_TIMESTAMP(3))`)
    await db.raw(
      `INSERT INTO tenants (tenant_key, name, user_access, limits, entity_settings, updated_at) VALUES ${values}`,
    )
  }
  const columns =
    'id, kind, status, queue, actor, workflow_id, trace_id, total, done, counts, problem, accepted_at, started_at, finished_at'
  const copies: { id: TenantId }[] = await db('tenants').where('tenant_key', 'like', 'bench-operators-%').select('id')
  for (const { id } of copies)
    await db.raw(`INSERT INTO jobs (tenant_id, ${columns}) SELECT ?, ${columns} FROM jobs WHERE tenant_id = ?`, [
      id,
      template,
    ])
}

/** Saves events by doubling those that are there, and moves the end of the chain behind them. Every thousandth is about the same person, and every thousandth is done by the same colleague. */
async function saveEvents(db: Knex, tenant: TenantId, events: number): Promise<void> {
  await sealAll(db)
  await db('audit_events').where({ tenant_id: tenant }).delete()
  await db('audit_ids').where({ tenant_id: tenant }).delete()
  const first = 1_000
  const columns = [
    ...['at', 'client', 'person', 'address', 'action', 'kind', 'ids', 'outcome', 'trace_id', 'members', 'details'],
    ...['previous_hash', 'hash'],
  ]
  const values = [
    ...['CURRENT_TIMESTAMP(3)', "CONCAT('client-', MOD(n, 20))", "CONCAT('colleague-', n)", "'127.0.0.1'"],
    ...["IF(MOD(n, 3) = 0, 'getSubject', 'upsertSubject')", "'subject'", "JSON_ARRAY(CONCAT('person-', n))"],
    ...["'done'", "'trace'", "'[]'", 'NULL', "'hash'", "'hash'"],
  ]
  const numbers = `WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${first})`
  const into = (table: string, columns: readonly string[]) => `INSERT INTO ${table} (tenant_id, position, ${columns})`
  const kept: [string, string[], string[]][] = [
    ['audit_events', columns, values],
    ['audit_ids', ['id'], ["CONCAT('person-', n)"]],
  ]
  for (const [table, columns, values] of kept)
    await db.raw(`${into(table, columns)} ${numbers} SELECT ?, n, ${values} FROM numbers`, [tenant])
  for (let have = first; have < events; ) {
    const more = Math.min(have, mostCopied, events - have)
    for (const [table, columns] of kept) {
      const copied = `SELECT tenant_id, position + ?, ${columns} FROM ${table} WHERE tenant_id = ? AND position <= ?`
      await db.raw(`${into(table, columns)} ${copied}`, [have, tenant, more])
    }
    have += more
  }
  await db('audit_chains').where({ tenant_id: tenant }).update({ position: events })
}
