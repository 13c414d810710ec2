// Measures the queries by which the platform's own runs look for work, among many jobs that are kept.
import type { Knex } from 'knex'
import { connect } from '../db/connect.js'
import { countOpenJobs, forgetJobs, openJobs, unstartedJobs, waitingSince } from '../db/jobs/jobs-of-all.js'
import { newTenant } from '../test/support/api.js'
import type { Stack } from '../test/support/stack.js'
import { line, median, thousands } from './measure.js'

const rounds = 20
const day = 86_400_000

/** One look of each kind at the jobs of all tenants. Nothing is to be done, so that each finds what the last one found. */
const looks: ((db: Knex) => Promise<unknown>)[] = [
  db => unstartedJobs(db, 7_000),
  db => openJobs(db, 30_000),
  countOpenJobs,
  waitingSince,
  db => forgetJobs(db, 30 * day),
]

/** All looks, one after the other. */
export async function sweep(db: Knex): Promise<void> {
  for (const look of looks) await look(db)
}

/** The sweep of the platform with a million jobs kept; the floor is the same number of empty round trips. */
export async function benchSweep(stack: Stack, short: boolean): Promise<void> {
  const jobs = short ? 20_000 : 1_000_000
  console.log(`The platform's looks for work, ${thousands(jobs)} jobs kept (median of ${rounds})…`)
  const db = connect(stack.databaseUrl, { poolSize: 1, silenceMs: 600_000 })
  try {
    const { tenantKey } = await newTenant(stack.baseUrl)
    const { id: tenant } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
    await keepJobs(db, tenant, { to: jobs })
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
  } finally {
    await db.destroy()
  }
}

/** Jobs forgotten a second at the end of their retention; the floor deletes as many rows, in as many statements. */
async function benchRetention(db: Knex, tenant: number, jobs: number): Promise<void> {
  const perSecond = async (work: () => Promise<number>): Promise<number> => {
    await keepJobs(db, tenant, { to: jobs, age: 40 })
    const started = performance.now()
    for (let more = 1; more > 0; ) more = await work()
    return (jobs * 1000) / (performance.now() - started)
  }
  const floor = await perSecond(() => db('jobs').where({ tenant_id: tenant }).limit(500).delete())
  const ours = await perSecond(() => forgetJobs(db, 30 * day))
  const rate = (value: number) => `${thousands(value)} jobs/s`
  line('  retention', rate(ours), rate(floor), (ours / floor).toFixed(2), '65 before')
}

/** Completed jobs of 20 days, by their numbers. @param range.age days since the last of them. */
export async function keepJobs(
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
