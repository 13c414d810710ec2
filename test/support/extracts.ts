// Extracts: paths and bodies, forms to extract, and rows that are written straight to the database.

import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { onTestFinished } from 'vitest'
import { connect } from '../../db/connect.js'
import { type Cell, insertRows } from '../../db/rows.js'
import type { Api, Reply } from './api.js'
import { aPicture, aTemplate } from './factories.js'
import { until } from './until.js'

/** A value as extracts show it. */
export interface ExtractedValue {
  type: string
  repeatIterationIndex: number | null
  [member: string]: unknown
}

export interface ControlResult {
  id: string
  label: string
  dataType: string
  values: ExtractedValue[]
}

/** A result: of a form with `buildingBlocks`, of a building block with `controls`. */
export interface ExtractResult {
  instanceGuid: string
  subjectIdentifier: string
  submittedByUserIdentifier: string
  submissionDateTime: string
  correlationId?: string
  buildingBlocks?: { key: string; controls: ControlResult[] }[]
  controls?: ControlResult[]
}

export interface ExtractBody {
  results: { identifier: string; type: 'form' | 'building-block'; results: ExtractResult[] }[]
}

export const extractPath = '/api/v2.0/extract'

/** Returns the path of the extract of one instance. */
export const instanceExtractPath = (subject: string, guid: string) =>
  `${extractPath}/subject/${subject}/instance/${guid}`

/** Runs an extract and waits for its result. */
export const extract = (client: Api, body: object, headers: Record<string, string> = {}): Promise<Reply<ExtractBody>> =>
  client.post<ExtractBody>(extractPath, body, headers)

/** Runs an extract, which must succeed. @returns the ids of the instances, in order, for each definition. */
export async function extractedIds(client: Api, body: object): Promise<string[][]> {
  const { status, body: answer } = await extract(client, body)
  if (status !== 200) throw new Error(JSON.stringify(answer))
  return answer.results.map(({ results }) => results.map(({ instanceGuid }) => instanceGuid))
}

/** Returns the texts of each control in each building block. */
export const textsIn = ({ buildingBlocks = [] }: ExtractResult) =>
  Object.fromEntries(
    buildingBlocks.map(({ key, controls }) => [
      key,
      Object.fromEntries(controls.map(({ id, values }) => [id, values.map(({ value }) => value)])),
    ]),
  )

/** Changes the time of the only submission of an instance in the database, as no client can. */
export async function submittedAt(db: Knex, instanceId: string, time: string): Promise<void> {
  const submitted_at = new Date(time)
  await db('form_reports').where({ instance_id: instanceId }).update({ submitted_at })
  await db('form_instances').where({ id: instanceId }).update({ submitted_at })
}

/** Copies a submission in the database, with the same time. @returns the ids of the new instances, ascending. */
export async function copied(db: Knex, instanceId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID()).sort()
  for (const [table, columns] of Object.entries(ofSubmissions))
    await copyRows(db, table, columns, { instance_id: instanceId }, ids, id => ({ instance_id: id }))
  return ids
}

const ofSubmissions = {
  form_values: ['tenant_id', 'instance_id', 'version_id', 'block_key', 'has_data', 'document'],
  form_reports: [
    ...['tenant_id', 'is_block', 'definition_key', 'definition_version', 'submitted_at', 'instance_id', 'counts_from'],
    ...['counts_until', 'version_id', 'subject_id', 'submitted_by', 'correlation_id', 'bytes'],
  ],
}

/** Copies a subject in the database. @returns the ids of the copies. */
export async function likePerson(db: Knex, subjectId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  const columns = ['tenant_id', 'id', 'external_id', 'custom_values', 'created_at', 'updated_at']
  await copyRows(db, 'subjects', columns, { id: subjectId }, ids, id => ({ id, external_id: id }))
  return ids
}

/** Copies rows once for each id. @param changes the cells in which a copy differs. */
async function copyRows(
  db: Knex,
  table: string,
  columns: string[],
  where: object,
  ids: readonly string[],
  changes: (id: string) => Record<string, Cell>,
): Promise<void> {
  const rows: Record<string, Cell>[] = await db(table).where(where).select(columns)
  const copies = ids.flatMap(id => rows.map(row => ({ ...row, ...changes(id) })))
  await insertRows(
    db,
    table,
    columns,
    copies.map((copy: Record<string, Cell>) => columns.map(column => copy[column] ?? null)),
  )
}

/** Blocks the extracts of a tenant. They are still accepted, but wait as soon as they have a result to write. */
export async function holdExtracts(databaseUrl: string, tenantKey: string): Promise<{ release(): Promise<void> }> {
  const db = connect(databaseUrl, { poolSize: 1, silenceTimeoutMs: 600_000 })
  const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  const trx = await db.transaction()
  // There are no rows yet, so this locks the gap in which they would be inserted.
  await trx('form_extract_results').where({ tenant_id: id }).forUpdate().select('job_id')
  const release = async () => {
    if (!trx.isCompleted()) await trx.commit()
    await db.destroy()
  }
  // Of other tenants too, if their numbers are higher: a test that fails must not let them wait.
  onTestFinished(release)
  return { release }
}

/** A lock that is held until it is released, at the latest when the test ends. */
export interface Held {
  open(): Promise<unknown>
}

function heldBy(trx: Knex.Transaction): Held {
  // If the database was killed meanwhile, there is nothing to roll back.
  const open = async () => trx.isCompleted() || trx.rollback().catch(() => undefined)
  onTestFinished(() => open().then(() => undefined))
  return { open }
}

/**
 * Blocks an extract before it writes the list of a definition, counted from 0. The worker waits for the lock for 20 s and then
 * tries again.
 */
export async function holdDefinition(db: Knex, tenantId: number, jobId: string, definition: number): Promise<Held> {
  const trx = await db.transaction()
  const row = { tenant_id: tenantId, job_id: jobId, definition, chunk: 0, entries: 0, results: Buffer.alloc(0) }
  await trx('form_extract_results').insert(row)
  return heldBy(trx)
}

/** Locks the clock of a tenant's forms, like a submission (`forShare`) or an extract (`forUpdate`). */
export async function holdClock(db: Knex, tenantId: number, how: 'forShare' | 'forUpdate'): Promise<Held> {
  const trx = await db.transaction()
  await trx('form_clocks').where({ tenant_id: tenantId })[how]().first('instant')
  return heldBy(trx)
}

/** Locks a job's row. A step then waits when it has done its work and wants to record the progress. */
export async function holdJob(db: Knex, tenantId: number, jobId: string): Promise<Held> {
  const trx = await db.transaction()
  // By the whole primary key, since a scan would lock the jobs of all tests.
  await trx('jobs').where({ tenant_id: tenantId, id: jobId }).forUpdate().first('id')
  return heldBy(trx)
}

/** Leaves out the quotes around names, as Vitess does. */
const plain = (statement: string): string => statement.replaceAll('`', '')

/** Resolves when this many statements that name the tenant and match `statement`, which quotes no names, wait for a lock. */
export const waiting = (db: Knex, tenantId: number, statement: RegExp, count = 1): Promise<boolean> =>
  until(`${count} statements like ${statement} wait`, async () => {
    const [threads = []]: { Info: string | null }[][] = await db.raw('SHOW FULL PROCESSLIST')
    const those = threads.filter(({ Info }) => Info?.includes(`${tenantId}`) && statement.test(plain(Info)))
    return those.length >= count
  })

const label = (text: string) => `Label of ${text}`
const option = (value: string) => ({ value, label: label(value) })
const numbered = (id: string, repeats: object[] = []) => ({
  id,
  label: label(id),
  controls: [{ id: `${id}No`, label: label(`${id}No`), dataType: 'integer' }],
  repeats,
})
const control = (id: string, dataType: string, more: object = {}) => ({ id, label: label(id), dataType, ...more })

/** A form with kinds of values that {@link aTemplate} lacks. Its block has the name of a built-in member of all objects. */
export const rareForm = aTemplate({
  key: 'rare',
  language: 'fr',
  buildingBlocks: [
    {
      key: 'constructor',
      sections: [
        {
          id: 'one',
          controls: [
            control('exact', 'decimal'),
            control('whole', 'integer'),
            control('no', 'boolean'),
            control('wall', 'datetime'),
            control('said', 'string', { multiline: true }),
            control('year', 'date', { partial: true }),
            control('day', 'date', { partial: true }),
            control('south', 'geolocation'),
            control('told', 'translatable-text-value'),
            control('untold', 'translatable-text-value'),
            control('dose', 'decimal', { options: [option('0.50'), option('1.0')] }),
            control('since', 'date', { options: [option('2026-01-01')] }),
            control('colours', 'string', {
              options: ['red', 'blue'].map(option),
              couldHaveMultipleValues: true,
              allowOther: true,
            }),
            control('pins', 'annotated-image', { image: aPicture, imageDescription: 'A body' }),
            control('hidden', 'string', { relevant: { control: 'no', equals: true } }),
          ],
        },
        { id: 'two', controls: [], repeats: [numbered('house', [numbered('floor', [numbered('room')])])] },
      ],
    },
  ],
})

/** A text full of characters that have a meaning in JSON, JavaScript or markup. */
export const saidText = 'a "b\\", {"hidden": [1]}: \\ \n\t</script> \u2028 é 🏥 \\"'

/** Values for {@link rareForm}, as JSON text, because numbers must keep all of their digits. */
export const rareValues = `{"exact": 12345678.1234567800, "whole": 123456789012345678, "no": false, "wall": "2026-11-02T09:30",
  "said": ${JSON.stringify(saidText)},
  "year": "2026", "day": "2026-02-28", "south": {"latitude": -33.4489, "longitude": -70},
  "told": {"originalText": "Ça va", "translatedText": "Fine", "sourceLanguageCode": "fr-CA", "targetLanguageCode": "en",
    "translatedDateTime": "2026-11-02T10:00:00+01:00"},
  "untold": "Ça va", "dose": "0.50", "since": "2026-01-01", "colours": ["blue", "mauve"],
  "pins": {"annotations": [{"x": 25, "y": 50, "value": "<b>&"}, {"x": 100, "y": 0, "value": ""}]}, "hidden": "not shown",
  "houseNo": [{"repeatIterationIndex": 0, "value": 7}, {"repeatIterationIndex": 1, "value": 8}],
  "floorNo": [{"repeatIterationPath": [1, 0], "value": 0}],
  "roomNo": [{"repeatIterationPath": [1, 0, 0], "value": -1}, {"repeatIterationPath": [1, 0, 1], "value": 2}]}`

/** A form of two building blocks. The last control of the first one is of a kind that cannot have a value. */
export const pairForm = aTemplate({
  key: 'pair',
  buildingBlocks: [
    {
      key: 'first',
      sections: [
        {
          id: 'only',
          controls: [
            { id: 'a', label: 'A' },
            { id: 'b', label: 'B' },
            { id: 'toRead', label: 'C', couldHaveValue: false, text: 'Read this.' },
          ],
        },
      ],
    },
    { key: 'second', sections: [{ id: 'only', controls: [{ id: 'c', label: 'C' }] }] },
  ],
})
/** Values for {@link pairForm}. */
export const pairValues = { a: '1', b: '2', c: '3' }
