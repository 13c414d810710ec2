// Measures imports of subjects against bare inserts of the same rows.

import { Readable } from 'node:stream'
import { createConnection } from 'mysql2/promise'
import type { StoredValue, StoredValues } from '../db/frame/fields/custom-fields.js'
import { hashesOf, matchingHashes, toBytes } from '../db/frame/fields/matching.js'
import { idBytes } from '../db/frame/search/id-bytes.js'
import { wordsOf } from '../db/frame/search/search-words.js'
import { migrate } from '../db/migrate.js'
import { newId } from '../runtime/ids.js'
import { bufferLines } from '../runtime/rows/buffered-lines.js'
import { newTenant, type Tenant } from '../test/support/api.js'
import { anEntity, aType } from '../test/support/factories.js'
import { ended, type JobBody } from '../test/support/faults.js'
import { demoSubjects } from '../test/support/manifest.js'
import { people, perEntity } from '../test/support/seeded-tenant.js'
import type { Stack } from '../test/support/stack.js'
import { until } from '../test/support/until.js'
import { line, memory, scratchUrl, thousands } from './measure.js'
import { subjectsTable } from './subject-upsert.js'

const fields = ['nationalId', 'givenName', 'familyName', 'dateOfBirth', 'email', 'phone'] as const
const path = '/api/v2/subject/import'

/**
 * Measures imports of people with six values and one place each against bare inserts of the same rows into the same
 * tables.
 */
export async function benchSubjectImport(stack: Stack, short: boolean): Promise<void> {
  const count = short ? 5_000 : 1_000_000
  const dry = short ? 5_000 : 100_000
  console.log(`Import of ${thousands(count)} people from a CSV…`)
  const tenant = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects })
  await tenant.put('/api/v1/structureType', aType('unit'))
  const places = Math.ceil(count / perEntity)
  const entities = Array.from({ length: places }, (_, n) => anEntity(`unit-${n}`))
  await tenant.put('/api/v1/structuralEntity/bulk', entities)
  const perSecond = (rows: number, ms: number) => `${thousands((rows * 1000) / ms)}/s`

  const before = { api: memory(stack.api.pid, 'VmRSS'), worker: memory(stack.worker.pid, 'VmRSS') }
  const uploading = performance.now()
  const accepted = await upload(stack, tenant, { count, places })
  const uploaded = performance.now() - uploading
  const started = performance.now()
  await until('the first refused row can be read', async () => {
    const { body } = await tenant.get<string>(`/api/v1/jobs/${accepted.jobId}/rejects`)
    return body.includes('Byron') || undefined
  })
  const firstReject = performance.now() - started
  const job = await ended(tenant, accepted.jobId, 3_600_000)
  if (job.counts.created !== count) throw new Error(JSON.stringify(job))
  const took = millisecondsOf(job)
  const floor = await bareInserts(stack.databaseUrl, count)
  line('  rows', perSecond(count, took), perSecond(count, floor), (floor / took).toFixed(2), '≥ 6,000/s, ≥ 0.35')
  line('  stored while it is uploaded', perSecond(count, uploaded), '', '', '')
  line('  first refused row, after the 202', `${firstReject.toFixed(0)} ms`, '', '', 'while it runs')
  for (const name of ['api', 'worker'] as const) {
    const grown = memory(stack[name].pid, 'VmHWM') - before[name]
    line(`  ${name} above its memory before`, `${grown.toFixed(0)} MB`, '', '', '< 150 MB')
  }

  console.log(`The same rows again, which are there (${thousands(dry)})…`)
  const again = await ended(tenant, (await upload(stack, tenant, { count: dry, places })).jobId, 3_600_000)
  if (again.counts.unchanged !== dry) throw new Error(JSON.stringify(again))
  line('  rows', perSecond(dry, millisecondsOf(again)), '', '', '')
  console.log(`A dry run of ${thousands(dry)}…`)
  const asked = await ended(
    tenant,
    (await upload(stack, tenant, { count: dry, places }, '?DryRun=true')).jobId,
    3_600_000,
  )
  if (asked.counts.unchanged !== dry) throw new Error(JSON.stringify(asked))
  line('  rows', perSecond(dry, millisecondsOf(asked)), '', '', '≥ 15,000/s')
}

const millisecondsOf = ({ acceptedAt, finishedAt }: JobBody): number =>
  Date.parse(finishedAt ?? '') - Date.parse(acceptedAt)

const textOf = (value: StoredValues[string] | undefined): string => (value as StoredValue | undefined)?.[1] ?? ''

/** Generates the people as rows of a CSV. One of them has a fault. */
async function* rowsOf(count: number, places: number): AsyncGenerator<string> {
  const person = people(20261123)
  yield `${fields.join()},StructuralEntityKeys\n-1,Ada,Byron,31.01.1980,,,\n`
  for (let n = 0; n < count; n++) {
    const values = person(n)
    yield `${fields.map(field => textOf(values[field])).join()},unit-${n % places}\n`
  }
}

async function upload(
  { baseUrl }: Stack,
  { token }: Tenant,
  { count, places }: { count: number; places: number },
  query = '',
): Promise<JobBody> {
  const answer = await fetch(new URL(`${path}${query}`, baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: Readable.toWeb(Readable.from(bufferLines(rowsOf(count, places)))) as ReadableStream,
    duplex: 'half',
  })
  const body = JSON.parse(await answer.text())
  if (answer.status !== 202) throw new Error(JSON.stringify(body))
  return body
}

/** People in one transaction of the floor, as many as in one of an import. */
const atOnce = 1_000

/**
 * Inserts the rows that the import writes by bare multi-row inserts into tables like ours, as the floor. Each
 * transaction holds as many people as one of the import.
 * @returns ms
 */
async function bareInserts(databaseUrl: string, count: number): Promise<number> {
  const url = scratchUrl(databaseUrl, 'floor')
  await migrate(url)
  const connection = await createConnection({ uri: url, charset: 'utf8mb4' })
  const person = people(20261123)
  const places = Math.ceil(count / perEntity)
  const tenant = 1
  const rest = ['subject_matching_keys', 'subjects', 'subject_values', 'subject_locations']
  const tables = [...rest, 'subjects_by_word', 'words_by_subject']
  let took = 0
  try {
    for (const table of tables) await connection.query('TRUNCATE ??', [table])
    for (let first = 0; first < count; first += atOnce) {
      const now = new Date()
      const rows: unknown[][][] = tables.map(() => [])
      for (let n = first; n < Math.min(count, first + atOnce); n++) {
        const all = person(n)
        const values: StoredValues = Object.fromEntries(fields.map(field => [field, all[field] ?? []])) as StoredValues
        const id = newId()
        const { together = '' } = matchingHashes(['nationalId'], values) ?? {}
        rows[0]?.push([tenant, toBytes(together)])
        rows[1]?.push([tenant, id, newId(), JSON.stringify(values), now, now, null])
        for (const hash of hashesOf(values)) rows[2]?.push([tenant, toBytes(hash), id])
        rows[3]?.push([tenant, `unit-${n % places}`, id, now, null])
        const words = wordsOf(values)
        for (const word of words) rows[4]?.push([tenant, word, idBytes(id)])
        rows[5]?.push([tenant, idBytes(id), words.join(',')])
      }
      const started = performance.now()
      await connection.beginTransaction()
      for (const [n, table] of tables.entries()) {
        await connection.query(`INSERT INTO ${table === 'subjects' ? subjectsTable : table} VALUES ?`, [rows[n]])
      }
      await connection.commit()
      took += performance.now() - started
    }
  } finally {
    await connection.end()
  }
  return took
}
