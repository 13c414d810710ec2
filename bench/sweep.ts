// Measures the queries by which the platform's own runs look for work, while many jobs are kept.
import type { Knex } from 'knex'
import { connect } from '../db/connect.js'
import { forgetReports } from '../db/forms/exports/ended-reports.js'
import { countOpenJobs, forgetJobs, openJobs, unstartedJobs, waitingTimes } from '../db/jobs/jobs-across-tenants.js'
import { type Cell, insertRows, slices, upsertRows } from '../db/rows.js'
import { newTenant } from '../test/support/api.js'
import type { Stack } from '../test/support/stack.js'
import { line, median, thousands } from './measure.js'

const rounds = 20
const day = 86_400_000

/** The queries, across the jobs of all tenants. There is nothing to do, so every round finds the same. */
const looks: ((db: Knex) => Promise<unknown>)[] = [
  db => unstartedJobs(db, 7_000),
  db => openJobs(db, 30_000),
  countOpenJobs,
  waitingTimes,
  db => forgetJobs(db, 30 * day),
]

/** Runs all of these queries, one after another. */
export async function sweep(db: Knex): Promise<void> {
  for (const look of looks) await look(db)
}

/** Measures a sweep with a million jobs kept. The floor is the same number of empty round trips. */
export async function benchSweep(stack: Stack, short: boolean): Promise<void> {
  const jobs = short ? 20_000 : 1_000_000
  console.log(`The platform's looks for work, ${thousands(jobs)} jobs kept (median of ${rounds})…`)
  const db = connect(stack.databaseUrl, { poolSize: 1, silenceTimeoutMs: 600_000 })
  try {
    const { tenantKey } = await newTenant(stack.baseUrl)
    const { id: tenant } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
    await saveJobs(db, tenant, { to: jobs })
    const time = async (work: () => Promise<unknown>) => {
      const started = performance.now()
      await work()
      return performance.now() - started
    }
    const floor: number[] = []
    const sweeps: number[] = []
    for (let n = 0; n < rounds; n++) {
      floor.push(
        await time(async () => {
          for (const _ of looks) await db.raw('SELECT 1')
        }),
      )
      sweeps.push(await time(() => sweep(db)))
    }
    const ms = (values: number[]) => `${median(values).toFixed(1)} ms`
    line('  a sweep', ms(sweeps), ms(floor), '', '≤ 20 ms')
    await db('jobs').where({ tenant_id: tenant }).delete()
    await benchRetention(db, tenant, short ? 20_000 : 100_000)
    await benchReports(db, tenant, short ? 2_000 : 20_000)
  } finally {
    await db.destroy()
  }
}

/**
 * Measures how many jobs per second are deleted at the end of their retention. The floor deletes as many rows in as
 * many statements.
 */
async function benchRetention(db: Knex, tenant: number, jobs: number): Promise<void> {
  const perSecond = async (work: () => Promise<number>): Promise<number> => {
    await saveJobs(db, tenant, { to: jobs, age: 40 })
    const started = performance.now()
    for (let more = 1; more > 0; ) more = await work()
    return (jobs * 1000) / (performance.now() - started)
  }
  const floor = await perSecond(() => db('jobs').where({ tenant_id: tenant }).limit(500).delete())
  const ours = await perSecond(() => forgetJobs(db, 30 * day))
  const rate = (value: number) => `${thousands(value)} jobs/s`
  line('  retention', rate(ours), rate(floor), (ours / floor).toFixed(2), '65 before')
}

/** Reports of each definition, which must be a power of two. Every eighth has ended. */
const perDefinition = 32

/**
 * Measures a pass of the retention over many definitions, first with ended reports and then without. The floor deletes
 * as many rows.
 */
async function benchReports(db: Knex, tenant: number, definitions: number): Promise<void> {
  const ended = (definitions * perDefinition) / 8
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now()
    await work()
    return performance.now() - started
  }
  await saveReports(db, tenant, definitions)
  const floor = await timed(async () => {
    const old = () => db('form_reports').where({ tenant_id: tenant }).where('counts_until', '<', new Date())
    while ((await old().limit(1_000).delete()) > 0);
  })
  await db('form_reports').where({ tenant_id: tenant }).delete()
  await saveReports(db, tenant, definitions)
  const ours = await timed(() => forgetReports(db, day))
  const idle: number[] = []
  for (let n = 0; n < rounds; n++) idle.push(await timed(() => forgetReports(db, day)))
  const rate = (ms: number) => `${thousands((ended * 1000) / ms)}/s`
  line('  retention of reports', rate(ours), rate(floor), (floor / ours).toFixed(2), '')
  line(`  a pass over ${thousands(definitions)} definitions`, `${median(idle).toFixed(1)} ms`, '', '', '')
  await db('form_reports').where({ tenant_id: tenant }).delete()
}

async function saveReports(db: Knex, tenant_id: number, definitions: number): Promise<void> {
  const at = new Date(Date.now() - 90 * day)
  const rows = Array.from({ length: definitions }, (_, n): Record<string, Cell> => {
    const definition = { tenant_id, is_block: 0, definition_key: `bench-${n}`, definition_version: 1 }
    const ids = {
      instance_id: `bench-${n}`,
      version_id: 'v',
      subject_id: 's',
      submitted_by: 'bench',
      correlation_id: null,
    }
    return { ...definition, submitted_at: at, counts_from: at, counts_until: new Date('9999-12-31'), ...ids, bytes: 1 }
  })
  const columns = Object.keys(rows[0] ?? {})
  const blank = {
    status: 'Production',
    title: '',
    classification: '',
    definition: '{}',
    written_by: 'bench',
    written_at: at,
  }
  const templates = rows.map(({ definition_key }) => ({ tenant_id, form_key: definition_key, version: 1, ...blank }))
  await upsertRows(db, 'form_templates', Object.keys(templates[0] ?? {}), templates.map(Object.values), [])
  for (const some of slices(rows, 5_000)) await insertRows(db, 'form_reports', columns, some.map(Object.values))
  for (let copies = 1; copies < perDefinition; copies *= 2) {
    const copied = columns.map(column => (column === 'submitted_at' ? 'submitted_at + INTERVAL ? SECOND' : column))
    await db.raw(`INSERT INTO form_reports (${columns}) SELECT ${copied} FROM form_reports WHERE tenant_id = ?`, [
      copies,
      tenant_id,
    ])
  }
  await db('form_reports')
    .where({ tenant_id })
    .whereRaw('MOD(TIMESTAMPDIFF(SECOND, ?, submitted_at), 8) = 0', [at])
    .update({ counts_until: new Date(Date.now() - 60 * day) })
}

/**
 * Inserts completed jobs that are spread over 20 days, for a range of job numbers.
 * @param range.age days since the latest of them.
 */
export async function saveJobs(
  db: Knex,
  tenant: number,
  { from = 0, to, age = 0 }: { from?: number; to: number; age?: number },
): Promise<void> {
  const perInsert = 10_000
  for (let first = from; first < to; first += perInsert) {
    const rows = Array.from({ length: Math.min(perInsert, to - first) }, (_, n) => {
      const at = new Date(Date.now() - (age + ((first + n) / to) * 20) * day)
      const id = `bench-${String(first + n).padStart(8, '0')}`
      return [
        tenant,
        id,
        'structuralEntityBulkUpsert',
        'Completed',
        'interactive',
        'bench',
        id,
        id,
        1,
        1,
        '{}',
        at,
        at,
        at,
      ]
    })
    const columns =
      'tenant_id, id, kind, status, queue, actor, workflow_id, trace_id, total, done, counts, accepted_at, started_at, finished_at'
    await db.raw(`INSERT INTO jobs (${columns}) VALUES ${rows.map(row => `(${row.map(() => '?')})`)}`, rows.flat())
  }
}
