// Compares two layouts for stored form values.
import { SingleBar } from 'cli-progress'
import { createConnection, type Connection as RawConnection } from 'mysql2'
import type { Connection } from 'mysql2/promise'
import { v7 } from 'uuid'
import { connect } from '../db/connect.js'
import { id, key } from '../db/migrations/columns.js'
import { newTenant } from '../test/support/api.js'
import { addPerson } from '../test/support/factories.js'
import { demoSubjects } from '../test/support/manifest.js'
import type { Stack } from '../test/support/stack.js'

import { readControl, readInstances, type StoredRow, sizeOf } from './extract-storage-ways.js'
import { firstNumber } from './extracts-form.js'
import { publishedForm, submitted } from './extracts-population.js'
import { line, median, scratchUrl, thousands } from './measure.js'

const batch = 10_000
const control = 'plan2'

/**
 * Two layouts for form values in a scratch database: a document for each building block, as in the product, and a row
 * for each value. Both get the same measurements; the first column is for documents.
 */
export async function benchExtractStorage(stack: Stack, short: boolean): Promise<void> {
  const submissions = short ? 5_000 : 1_000_000
  console.log(
    `${thousands(submissions)} submissions of 30 values, as documents and (second column) as a row each value…`,
  )
  const url = scratchUrl(stack.databaseUrl, 'storage')
  const model = await modelDocuments(stack)
  const raw = createConnection({ uri: stack.databaseUrl, charset: 'utf8mb4' })
  const connection = raw.promise()
  const name = new URL(url).pathname.slice(1)
  try {
    await connection.query('CREATE DATABASE ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_bin', [name])
    await connection.changeUser({ database: name })
    await fill(connection, model, submissions)
    const sizes = [await sizeOf(raw, 'documents'), await sizeOf(raw, 'value_rows')] as const
    report('  on disk', sizes, bytes => `${thousands(bytes / 1e6)} MB`)
    report('  writing a submission, p50', await writeTimes(connection, model, short ? 50 : 500), precise)
    const instances = submissions / 10
    report(`  reading ${thousands(instances)} submissions`, await inTurn(readInstances, raw, instances), ms)
    report('  reading one control of all', await inTurn(readControl, raw, control), ms)
  } finally {
    await connection.query('DROP DATABASE IF EXISTS ??', [name])
    await connection.end()
  }
}

const ms = (value: number) => `${thousands(value)} ms`
const precise = (value: number) => `${value.toFixed(2)} ms`

function report(what: string, [documents, rows]: readonly [number, number], text: (value: number) => string): void {
  line(what, text(documents), text(rows), (documents / rows).toFixed(2), '')
}

/** The documents of a form that was submitted through the API. */
async function modelDocuments(stack: Stack): Promise<StoredRow[]> {
  const tenant = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects })
  const forms = await publishedForm(stack, tenant)
  const instance = await submitted(forms, await addPerson(tenant, 'person'), firstNumber)
  const db = connect(stack.databaseUrl, { poolSize: 1 })
  try {
    return await db('form_values').where({ instance_id: instance }).select({ name: 'block_key', text: 'document' })
  } finally {
    await db.destroy()
  }
}

/** The rows of one submission: its documents, and its values by control. */
const rowsOf = (model: readonly StoredRow[]): StoredRow[] =>
  model.flatMap(({ text }) =>
    Object.entries<unknown[]>(JSON.parse(text)).flatMap(([name, values]) =>
      values.map(value => ({ name, text: JSON.stringify(value) })),
    ),
  )

async function fill(connection: Connection, model: readonly StoredRow[], submissions: number): Promise<void> {
  const common = `tenant_id INT UNSIGNED NOT NULL, instance_id ${id} NOT NULL, version_id ${id} NOT NULL`
  await connection.query(
    `CREATE TABLE documents (${common}, block_key ${key} NOT NULL, has_data TINYINT NOT NULL, document LONGTEXT NOT NULL,
     PRIMARY KEY (tenant_id, instance_id, version_id, block_key))`,
  )
  // A query for one control finds it by an index, which is the purpose of rows.
  await connection.query(
    `CREATE TABLE value_rows (${common}, control_id ${key} NOT NULL, iteration SMALLINT UNSIGNED NOT NULL, content LONGTEXT NOT NULL,
     PRIMARY KEY (tenant_id, instance_id, version_id, control_id, iteration), KEY by_control (tenant_id, control_id, instance_id))`,
  )
  await connection.query(
    `CREATE TEMPORARY TABLE copies (number INT PRIMARY KEY, instance_id ${id} NOT NULL, version_id ${id} NOT NULL)`,
  )
  for (const [table, rows] of [
    ['model_documents', model],
    ['model_rows', rowsOf(model)],
  ] as const) {
    await connection.query(`CREATE TEMPORARY TABLE ${table} (name ${key} PRIMARY KEY, text LONGTEXT NOT NULL)`)
    await connection.query(`INSERT INTO ${table} VALUES ?`, [rows.map(({ name, text }) => [name, text])])
  }
  const changed = `REPLACE(m.text, '${firstNumber}', c.number)`
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {value}/{total}  {eta_formatted} left',
    noTTYOutput: true,
    notTTYSchedule: 15_000,
  })
  bar.start(submissions, 0)
  const start = Date.now() - 1_000 * submissions
  for (let done = 0; done < submissions; ) {
    const first = done
    done = Math.min(done + batch, submissions)
    const copies = Array.from({ length: done - first }, (_, k) => {
      const msecs = start + 1_000 * (first + k)
      return [firstNumber + first + k, v7({ msecs }), v7({ msecs })]
    })
    await connection.query('DELETE FROM copies')
    await connection.query('INSERT INTO copies VALUES ?', [copies])
    await connection.query(
      `INSERT INTO documents SELECT 1, c.instance_id, c.version_id, m.name, 1, ${changed}
       FROM copies c CROSS JOIN model_documents m ORDER BY c.number, m.name`,
    )
    await connection.query(
      `INSERT INTO value_rows SELECT 1, c.instance_id, c.version_id, m.name, 0, ${changed}
       FROM copies c CROSS JOIN model_rows m ORDER BY c.number, m.name`,
    )
    bar.update(done)
  }
  bar.stop()
}

/** Median ms of the transaction that writes one submission, one after the other. */
async function writeTimes(
  connection: Connection,
  model: readonly StoredRow[],
  calls: number,
): Promise<[number, number]> {
  const rows = rowsOf(model)
  const times = { documents: [] as number[], value_rows: [] as number[] }
  for (let call = -20; call < calls; call++) {
    const submission = [1, v7(), v7()]
    const written = {
      documents: model.map(({ name, text }) => [...submission, name, 1, text]),
      value_rows: rows.map(({ name, text }) => [...submission, name, 0, text]),
    }
    for (const table of ['documents', 'value_rows'] as const) {
      const started = performance.now()
      await connection.beginTransaction()
      await connection.query(`INSERT INTO ${table} VALUES ?`, [written[table]])
      await connection.commit()
      if (call >= 0) times[table].push(performance.now() - started)
    }
  }
  return [median(times.documents), median(times.value_rows)]
}

/** Median ms of both ways, one after the other in each round; the first round warms both up. */
async function inTurn<What>(
  ways: Record<'documents' | 'rows', (connection: RawConnection, what: What) => Promise<number>>,
  connection: RawConnection,
  what: What,
): Promise<[number, number]> {
  const times = { documents: [] as number[], rows: [] as number[] }
  for (let round = -1; round < 3; round++) {
    const read = { documents: 0, rows: 0 }
    for (const way of ['documents', 'rows'] as const) {
      const started = performance.now()
      read[way] = await ways[way](connection, what)
      if (round >= 0) times[way].push(performance.now() - started)
    }
    if (read.documents !== read.rows) throw new Error(`${read.documents} values, not ${read.rows}`)
  }
  return [median(times.documents), median(times.rows)]
}
