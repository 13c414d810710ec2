// Measures imports of structural entities against bare inserts of the same rows.
import { Readable } from 'node:stream'
import { createConnection } from 'mysql2/promise'
import { migrate } from '../db/migrate.js'
import { bufferLines } from '../runtime/rows/buffered-lines.js'
import { newTenant, type Tenant } from '../test/support/api.js'
import { ended, type JobBody } from '../test/support/faults.js'
import { entityImportPath } from '../test/support/imports.js'
import type { Stack } from '../test/support/stack.js'
import { benchType } from './entities.js'
import { line, memory, scratchUrl, thousands } from './measure.js'

/** Children of each parent, which gives five levels or more. */
const width = 18

const parentOf = (n: number): number => Math.floor((n - 1) / width)

/**
 * Step that visits each number below a count once, far out of order: this prime has no factor in common with the count.
 */
const step = 7_368_787

/** Measures imports of unordered entities against bare inserts of the same rows, parents first. */
export async function benchEntityImport(stack: Stack, short: boolean): Promise<void> {
  const count = short ? 20_000 : 500_000
  console.log(`Import of ${thousands(count)} structural entities from a CSV, in no order…`)
  const tenant = await newTenant(stack.baseUrl)
  await tenant.put('/api/v1/structureType', benchType)
  const perSecond = (rows: number, ms: number) => `${thousands((rows * 1000) / ms)}/s`
  const before = { api: memory(stack.api.pid, 'VmRSS'), worker: memory(stack.worker.pid, 'VmRSS') }

  const uploading = performance.now()
  const accepted = await upload(stack, tenant, count)
  const uploaded = performance.now() - uploading
  const job = await ended(tenant, accepted.jobId, 3_600_000)
  if (job.counts.created !== count) throw new Error(JSON.stringify(job))
  const took = millisecondsOf(job)
  const floor = await bareInserts(stack.databaseUrl, count)
  line('  rows', perSecond(count, took), perSecond(count, floor), (floor / took).toFixed(2), '')
  line('  stored while it is uploaded', perSecond(count, uploaded), '', '', '')
  for (const name of ['api', 'worker'] as const) {
    const grown = memory(stack[name].pid, 'VmHWM') - before[name]
    line(`  ${name} above its memory before`, `${grown.toFixed(0)} MB`, '', '', '< 150 MB')
  }

  for (const [name, query] of [
    ['The same rows again, which are there', ''],
    ['A dry run of them', '?DryRun=true'],
  ] as const) {
    console.log(`${name}…`)
    const again = await ended(tenant, (await upload(stack, tenant, count, query)).jobId, 3_600_000)
    if (again.counts.unchanged !== count) throw new Error(JSON.stringify(again))
    line('  rows', perSecond(count, millisecondsOf(again)), '', '', '')
  }
}

const millisecondsOf = ({ acceptedAt, finishedAt }: JobBody): number =>
  Date.parse(finishedAt ?? '') - Date.parse(acceptedAt)

async function* rowsOf(count: number): AsyncGenerator<string> {
  yield 'Key,DisplayName,ParentKey,StructureTypeKey,beds\n'
  for (let m = 0; m < count; m++) {
    const n = (m * step) % count
    yield `place-${n},Place number ${n},${n === 0 ? '' : `place-${parentOf(n)}`},place,${n % 500}\n`
  }
}

async function upload({ baseUrl }: Stack, { token }: Tenant, count: number, query = ''): Promise<JobBody> {
  const answer = await fetch(new URL(`${entityImportPath}${query}`, baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: Readable.toWeb(Readable.from(bufferLines(rowsOf(count)))) as ReadableStream,
    duplex: 'half',
  })
  const body = JSON.parse(await answer.text())
  if (answer.status !== 202) throw new Error(JSON.stringify(body))
  return body
}

/** Rows in one transaction of the floor. */
const atOnce = 1_000

/** Without `bytes`, which the database makes. */
const columns = '(tenant_id, entity_key, display_name, parent_key, depth, type_key, custom_values, updated_at)'

/** Inserts the same rows, parents first, by bare multi-row inserts into tables like ours, as the floor. @returns ms */
async function bareInserts(databaseUrl: string, count: number): Promise<number> {
  const url = scratchUrl(databaseUrl, 'floor')
  await migrate(url)
  const connection = await createConnection({ uri: url, charset: 'utf8mb4' })
  let took = 0
  try {
    await connection.query('TRUNCATE structural_entities')
    const depths = new Uint8Array(count)
    for (let first = 0; first < count; first += atOnce) {
      const now = new Date()
      const rows = Array.from({ length: Math.min(atOnce, count - first) }, (_, m) => {
        const n = first + m
        depths[n] = n === 0 ? 1 : (depths[parentOf(n)] ?? 0) + 1
        const parent = n === 0 ? null : `place-${parentOf(n)}`
        const values = `{"beds":["Integer","${n % 500}"]}`
        return [1, `place-${n}`, `Place number ${n}`, parent, depths[n], 'place', values, now]
      })
      const started = performance.now()
      await connection.query(`INSERT INTO structural_entities ${columns} VALUES ?`, [rows])
      took += performance.now() - started
    }
  } finally {
    await connection.end()
  }
  return took
}
