// Creates the submissions of the extract benchmark.
import { isDeepStrictEqual } from 'node:util'
import { SingleBar } from 'cli-progress'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { v7 } from 'uuid'
import { connect } from '../../db/connect.js'
import { id } from '../../db/migrations/columns.js'
import { type Api, admin, type Tenant } from './api.js'
import { blockKeys, buildingBlocks, firstNumber, valuesOf } from './extract-population-form.js'
import { extract } from './extracts.js'
import { aTemplate, blockAsked, formAsked } from './factories.js'
import { putForm } from './forms.js'
import { patientOf } from './instances.js'
import { type SeededTenant, seededTenant } from './seeded-tenant.js'
import type { Stack } from './stack.js'

/** A tenant with submissions of the form `visit`, version 1. */
export interface Population extends SeededTenant {
  /** Runs extracts. */
  forms: Api
  submissions: number
  subjects: number
}

export const formKey = 'visit'

const batch = 10_000
const day = 86_400_000

/**
 * Creates a tenant with submissions, spread evenly over its subjects and over the two years until yesterday. One is submitted
 * through the API. The others are copies of its rows with their own ids, times, subject and a number in the values.
 * @throws Error if the API shows a copy differently from a real submission of the same values.
 */
export async function extractPopulation(
  stack: Stack,
  { submissions, subjects }: Pick<Population, 'submissions' | 'subjects'>,
): Promise<Population> {
  const db = connect(stack.databaseUrl, { poolSize: 2 })
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {value}/{total}  {eta_formatted} left',
    noTTYOutput: true,
    notTTYSchedule: 15_000,
  })
  try {
    const tenant = await seededTenant(stack.baseUrl, db, subjects, () => {})
    const forms = await publishedForm(stack, tenant)
    bar.start(submissions, 0)
    const last = await submitCopies(stack.databaseUrl, { ...tenant, forms, submissions }, done => bar.update(done))
    const population = { ...tenant, forms, submissions, subjects }
    await verify(population, last)
    return population
  } finally {
    bar.stop()
    await db.destroy()
  }
}

/** Submits one form through the API and copies it. @returns the last copy. */
async function submitCopies(
  databaseUrl: string,
  { tenantId, forms, submissions }: Pick<Population, 'tenantId' | 'forms' | 'submissions'>,
  progress: (done: number) => void = () => undefined,
): Promise<Copy> {
  const db = connect(databaseUrl, { poolSize: 1, silenceTimeoutMs: 600_000 })
  const connection = await createConnection({ uri: databaseUrl, charset: 'utf8mb4', timezone: 'Z' })
  try {
    const ids: string[] = await db('subjects').where({ tenant_id: tenantId }).orderBy('id').pluck('id')
    const copy = await copier(connection, tenantId, await submitted(forms, ids[0] ?? '', firstNumber))
    const copyOf = copiesOf(ids, submissions)
    for (let done = 0; done < submissions; progress(done)) {
      const first = done
      done = Math.min(done + batch, submissions)
      await copy(Array.from({ length: done - first }, (_, k) => copyOf(first + k)))
    }
    await db.raw('ANALYZE TABLE form_instances, form_instance_versions, form_values, form_reports')
    return copyOf(submissions - 1)
  } finally {
    await Promise.all([connection.end(), db.destroy()])
  }
}

/** Returns a function that makes the nth copy, spread evenly over all subjects and over the two years until yesterday. */
export function copiesOf(subjectIds: readonly string[], submissions: number): (n: number) => Copy {
  const start = Date.now() - 731 * day
  return n => {
    const at = start + Math.floor((n * 730 * day) / submissions)
    // Filling in takes up to an hour. The prime number makes copies that are close in time belong to different subjects.
    const created = new Date(at - ((n * 7_919) % 3_600_000))
    const subject = subjectIds[(n * 7_919) % subjectIds.length] ?? ''
    return { number: firstNumber + n, created, at: new Date(at), instance: v7({ msecs: created.getTime() }), subject }
  }
}

/** Publishes the form. @returns a client that may do everything with it. */
async function publishedForm({ baseUrl }: Pick<Stack, 'baseUrl'>, tenant: Tenant): Promise<Api> {
  const form = aTemplate({ key: formKey, buildingBlocks })
  const { status, body } = await putForm(await admin(baseUrl), tenant.tenantKey, form)
  if (status >= 300) throw new Error(JSON.stringify(body))
  return tenant.client(['*'], ['FormsApi'])
}

/** Submits a form through the API. @returns its id. */
export async function submitted(client: Api, subjectId: string, number: number): Promise<string> {
  const patient = patientOf({ subjectId, forms: client })
  const instance = await patient.created({ formKey })
  const { status, body } = await patient.submit(instance, valuesOf(number))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return instance
}

/** A copy of a submission. */
interface Copy {
  number: number
  created: Date
  at: Date
  instance: string
  subject: string
}

/** Columns, by table, in which a copy `c` of a row `m` differs, with their SQL. */
const differing: Record<string, Record<string, string>> = {
  form_instances: {
    id: 'c.instance_id',
    instance_identifier: 'c.instance_id',
    subject_id: 'c.subject_id',
    current_version: 'c.version_id',
    reported_version: 'c.version_id',
    created_at: 'c.created_at',
    modified_at: 'c.submitted_at',
    submitted_at: 'c.submitted_at',
  },
  form_instance_versions: {
    instance_id: 'c.instance_id',
    id: "IF(m.status = 'New', c.new_id, c.version_id)",
    created_at: "IF(m.status = 'New', c.created_at, c.submitted_at)",
    modified_at: "IF(m.status = 'New', c.created_at, c.submitted_at)",
  },
  form_values: {
    instance_id: 'c.instance_id',
    version_id: 'c.version_id',
    document: `REPLACE(m.document, '${firstNumber}', c.number)`,
  },
  form_reports: {
    submitted_at: 'c.submitted_at',
    instance_id: 'c.instance_id',
    counts_from: 'c.submitted_at',
    version_id: 'c.version_id',
    subject_id: 'c.subject_id',
  },
}

/** Writes copies of a submission, in bulk. */
export async function copier(connection: Connection, tenantId: number, model: string) {
  const made = 'bench_copies'
  await connection.query(
    `CREATE TEMPORARY TABLE ${made} (number INT PRIMARY KEY, created_at DATETIME(3), submitted_at DATETIME(3), instance_id ${id},
     new_id ${id}, version_id ${id}, subject_id ${id})`,
  )
  const inserts: string[] = []
  for (const [table, different] of Object.entries(differing)) {
    const column = table === 'form_instances' ? 'id' : 'instance_id'
    const of = `SELECT * FROM ${table} WHERE tenant_id = ? AND ${column} = ?`
    await connection.query(`CREATE TEMPORARY TABLE bench_${table} AS ${of}`, [tenantId, model])
    const [columns] = await connection.query<RowDataPacket[]>('SHOW COLUMNS FROM ??', [table])
    const names = columns.map(({ Field }): string => Field)
    const values = names.map(name => different[name] ?? `m.${name}`)
    inserts.push(
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')}
       FROM ${made} c CROSS JOIN bench_${table} m ORDER BY c.number`,
    )
  }
  return async (copies: readonly Copy[]): Promise<void> => {
    const rows = copies.map(({ number, created, at, instance, subject }) => [
      ...[number, created, at, instance],
      ...[v7({ msecs: created.getTime() }), v7({ msecs: at.getTime() }), subject],
    ])
    await connection.query(`DELETE FROM ${made}`)
    await connection.query(`INSERT INTO ${made} VALUES ?`, [rows])
    for (const insert of inserts) await connection.query(insert)
  }
}

/** Submits the values of the last copy once more, and compares what extracts show of both. */
async function verify({ forms, submissions }: Population, last: Copy): Promise<void> {
  await submitted(forms, last.subject, last.number)
  const definitions = [formAsked(formKey), ...blockKeys.map(key => blockAsked(key))]
  const { status, body } = await extract(forms, { from: last.at, definitions })
  if (status !== 200) throw new Error(JSON.stringify(body))
  for (const { identifier, results } of body.results) {
    // The result between these two is the submission that was copied.
    const [real, copy] = [results[0], results[2]].map(result => ({
      ...result,
      instanceGuid: undefined,
      submissionDateTime: undefined,
    }))
    if (results.length !== 3 || !isDeepStrictEqual(real, copy))
      throw new Error(`Copy ${submissions} of ${identifier} is ${JSON.stringify(copy)}, not ${JSON.stringify(real)}`)
  }
}
