// Measures calls through VTGate beside the same calls on MySQL itself, the same server, in turn.
import { resolve } from 'node:path'
import { connect } from '../db/connect.js'
import { startMysql } from '../dev/mysql-chroot.js'
import { serverSettings, startVitess } from '../dev/vitess.js'
import { projectRoot } from '../runtime/process/version.js'
import { ended } from '../test/support/faults.js'
import type { Page } from '../test/support/frame.js'
import { seededTenant } from '../test/support/seeded-tenant.js'
import { type Stack, startStack } from '../test/support/stack.js'
import { person, subjectsPath } from '../test/support/subjects.js'
import { startTransfer } from '../test/support/transfers.js'
import { benchType, hierarchy } from './entities.js'
import { line, median, percentile, thousands } from './measure.js'

const people = 10_000

/** Prints the median of each call through VTGate and on MySQL, with a stack for each: API, worker and Temporal. */
export async function benchVitess(_: Stack, short: boolean): Promise<void> {
  const dataDir = resolve(projectRoot, process.env.DATA_DIR || '.data')
  const log = (text: string) => console.log(text)
  const mysql = await startMysql({ dataDir, name: '-bench', binaryLog: true, settings: serverSettings, log })
  const ends = [() => mysql.stop()]
  try {
    const vitess = await startVitess({ dataDir, mysql, log })
    ends.unshift(vitess.stop)
    const server = connect(mysql.url, { poolSize: 1 })
    await server.raw('CREATE DATABASE direct CHARACTER SET utf8mb4')
    await server.destroy()
    const direct = new URL(mysql.url)
    direct.pathname = '/direct'
    const sides: Side[] = []
    for (const url of [vitess.url, direct.href]) {
      const stack = await startStack({}, { database: { url, process: vitess.gate } })
      ends.unshift(() => stack.stop())
      sides.push(await sideOf(stack))
    }
    console.log(`Through VTGate (ours) and on the same MySQL (floor), ${thousands(people)} people, medians…`)
    for (const [what, calls, call] of measured) await measure(sides, what, short ? Math.ceil(calls / 10) : calls, call)
  } finally {
    for (const end of ends) await end()
  }
}

type Side = Awaited<ReturnType<typeof sideOf>>

/** Fills a tenant with people in four wards, and prepares another one for places. */
async function sideOf(stack: Stack) {
  const db = connect(stack.databaseUrl, { poolSize: 4 })
  const tenant = await seededTenant(stack.baseUrl, db, people, () => undefined)
  const ids: string[] = await db('subjects').where({ tenant_id: tenant.tenantId }).limit(1_000).pluck('id')
  await db.destroy()
  await tenant.put('/api/v1/structureType', benchType)
  return { tenant, ids }
}

/** The calls that are measured: a name for the table, how many calls are made, and the function that makes the call of a number. */
const measured: [what: string, calls: number, call: (side: Side, n: number) => Promise<unknown>][] = [
  ['a subject by its id', 1_000, ({ tenant, ids }, n) => read(tenant, `/api/v2/subject/${ids[n % ids.length]}`)],
  [
    'a page of a ward, with its total',
    500,
    async ({ tenant }, n) => {
      const path = `/api/v2/subject?First=20&StructuralEntityKeys=${tenant.entityKeys[n % tenant.entityKeys.length]}`
      const { Edges } = (await read(tenant, path)) as Page<unknown>
      if (Edges.length !== 20) throw new Error(`${path}: ${Edges.length} subjects`)
    },
  ],
  ['a new subject', 300, ({ tenant }, n) => ok(tenant.post(subjectsPath, person(`${900_000 + n}`)))],
  [
    'a bulk of 20 new subjects',
    100,
    ({ tenant }, n) =>
      ok(
        tenant.post(
          `${subjectsPath}/bulk`,
          Array.from({ length: 20 }, (_, k) => person(`${1_000_000 + n * 20 + k}`)),
        ),
      ),
  ],
  ['a bulk of 1,000 places', 30, ({ tenant }) => ok(tenant.put('/api/v1/structuralEntity/bulk', hierarchy(1_000)))],
  ['a bulk of 10,000 places', 10, ({ tenant }) => ok(tenant.put('/api/v1/structuralEntity/bulk', hierarchy(10_000)))],
  [
    'a transfer of 2,500, back and forth',
    20,
    async ({ tenant }, n) => {
      const [from = '', to = ''] = n % 2 === 0 ? ['unit-0', 'place-0'] : ['place-0', 'unit-0']
      const { jobId } = await startTransfer(tenant, from, to, 'Move')
      const job = await ended(tenant, jobId)
      if (job.counts.moved !== 2_500) throw new Error(JSON.stringify(job))
    },
  ],
]

type Answer = { status: number; body: unknown }

async function ok(request: Promise<Answer>): Promise<unknown> {
  const { status, body } = await request
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body).slice(0, 500)}`)
  return body
}

const read = (tenant: Side['tenant'], path: string) => ok(tenant.get(path))

async function measure(sides: Side[], what: string, calls: number, call: (side: Side, n: number) => Promise<unknown>) {
  const times: number[][] = sides.map(() => [])
  const warm = Math.ceil(calls / 10) * 2
  for (let n = -warm; n < calls; n++) {
    for (const [index, side] of sides.entries()) {
      const started = performance.now()
      await call(side, n + warm)
      if (n >= 0) times[index]?.push(performance.now() - started)
    }
  }
  const [ours = [], floor = []] = times
  const ms = (value: number) => `${value.toFixed(1)} ms`
  line(`  ${what}`, ms(median(ours)), ms(median(floor)), (median(ours) / median(floor)).toFixed(2), '')
  line('    95th percentile', ms(percentile(ours, 95)), ms(percentile(floor, 95)), '', '')
}
