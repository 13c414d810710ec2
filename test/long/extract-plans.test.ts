// Query plans of extracts.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { endedIn, startedIn } from '../../db/forms/exports/export-entries.js'
import { forgetReports } from '../../db/forms/extracts/ended-reports.js'
import { definitionFaults } from '../../db/forms/extracts/extract-faults.js'
import { listNextDefinition } from '../../db/forms/extracts/extract-lists.js'
import { ndjsonOf } from '../../db/forms/extracts/extract-results.js'
import { acceptExtract, type ExtractRequest, extractOf } from '../../db/forms/extracts/extracts.js'
import { createPublishedForms } from '../../db/forms/templates/published-forms.js'
import { createJob } from '../../db/jobs/create.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { noReplicas, readsAt } from '../../db/replicas.js'
import { type Cell, upsertRows } from '../../db/rows.js'
import { newId } from '../../runtime/ids.js'
import { aNote, notesTenant, whole } from '../support/form-factories.js'
import { type Plan, plansOf } from '../support/plans.js'

const submissions = 3_000
const day = 86_400_000
const subjects = Array.from({ length: 300 }, newId)

const db = connect(inject('databaseUrl'), { poolSize: 1 })
let tenant: number
beforeAll(async () => {
  tenant = await tenantWith(submissions, n => new Date(Date.now() - day - n * 3_600_000))
})
afterAll(() => db.destroy())

/** A tenant with so many submissions, each of the next subject, at these times. @returns its number. */
async function tenantWith(count: number, timeOf: (n: number) => Date, more: object = {}): Promise<number> {
  const { tenant: api, patient } = await notesTenant(more)
  const { id }: { id: number } = await db('tenants').where({ tenant_key: api.tenantKey }).first('id')
  const model = await patient.created()
  expect(await patient.submit(model, whole)).toMatchObject({ status: 200 })
  const copies = Array.from({ length: count }, (_, n) => {
    const at = timeOf(n)
    const subject = subjects[n % subjects.length]
    return { submitted_at: at, counts_from: at, instance_id: newId(), version_id: newId(), subject_id: subject }
  })
  for (const table of ['form_reports', 'form_values']) {
    const rows: Record<string, Cell>[] = await db(table).where({ tenant_id: id, instance_id: model })
    const columns = Object.keys(rows[0] ?? {})
    const cells = copies.flatMap((copy: Record<string, Cell | undefined>) =>
      rows.map(row => columns.map(column => copy[column] ?? row[column] ?? null)),
    )
    await upsertRows(db, table, columns, cells, [])
  }
  await db.raw('ANALYZE TABLE form_reports, form_values')
  return id
}

/** The plans of all queries of what counts, of listing an extract and of reading its results. */
async function plans(
  asked: Partial<ExtractRequest>,
  of?: string[],
  tenantId = tenant,
): Promise<{ listing: Plan[]; reading: Plan[] }> {
  const jobId = newId()
  const definitions = [{ identifier: 'notes', type: 'form' as const, key: 'small', version: 1 }]
  await db.transaction(async trx => {
    const named = { actor: 'test', workflowId: jobId, traceId: jobId }
    await createJob(trx, tenantId, { id: jobId, kind: 'multiExtract', queue: 'background', total: 1, ...named })
    await acceptExtract(trx, tenantId, jobId, { definitions, ...asked }, of)
  })
  await jobStore(db, tenantId).assignRun(jobId, 'run')
  const listing = await plansOf(db, 'form_reports', () =>
    listNextDefinition({ db, reads: noReplicas(db) }, tenantId, { jobId, runId: 'run' }),
  )
  const reading = await plansOf(db, 'form_reports', async () => {
    const extract = await extractOf(db, tenantId, jobId)
    if (!extract) throw new Error('The extract is gone')
    for await (const _ of ndjsonOf(
      { db, reads: noReplicas(db), forms: createPublishedForms({ db }) },
      tenantId,
      extract,
    ));
  })
  return { listing, reading }
}

const keysOf = (all: readonly Plan[]) => all.map(({ tables }) => tables.map(({ key }) => key))
const extrasOf = (all: readonly Plan[]) => all.flatMap(({ tables }) => tables.map(({ extra }) => extra)).join()
const sorted = /filesort|temporary/i

const half = { from: new Date(Date.now() - 60 * day).toISOString(), to: new Date(Date.now() - 30 * day).toISOString() }

test.each<[string, Partial<ExtractRequest>, number]>([
  ['all submissions', {}, 1],
  ['the most recent ones', { maxResults: 20 }, 1],
  ['those of a time', half, 1],
  [
    'the most recent one of each subject, in several pages',
    { maxResults: 302, maxResultsPerDefinitionPerSubject: 1 },
    3,
  ],
])('%s are listed in the order of the index, and no others are read', async (_, asked, pages) => {
  const { listing } = await plans(asked)
  expect(keysOf(listing)).toEqual(Array(pages).fill(['PRIMARY']))
  expect(extrasOf(listing)).not.toMatch(sorted)
  for (const { rows, read } of listing) expect(read).toBeLessThanOrEqual(rows + 2)
})

test('those of one subject are listed by its index, and no others are read', async () => {
  const { listing } = await plans({}, subjects.slice(0, 1))
  // How many there are is counted first.
  expect(keysOf(listing)).toEqual([['form_reports_by_subject'], ['form_reports_by_subject']])
  expect(extrasOf(listing)).not.toMatch(sorted)
  for (const { read } of listing) expect(read).toBeLessThanOrEqual(2 * (submissions / subjects.length) + 5)
})

test('those of several subjects are listed by their index and sorted, and no others are read', async () => {
  const { listing } = await plans({}, subjects.slice(0, 100))
  expect(keysOf(listing)).toEqual([['form_reports_by_subject'], ['form_reports_by_subject']])
  expect(listing.map(({ rows }) => rows)).toEqual([1, 1_000])
  for (const { read } of listing) expect(read).toBeLessThanOrEqual(2 * 1_000 + 200)
})

test('those of more than 1,000 subjects are picked out of all', async () => {
  const { listing } = await plans({}, [...subjects, ...Array.from({ length: 701 }, newId)])
  expect(keysOf(listing)).toEqual([['PRIMARY']])
  expect(extrasOf(listing)).not.toMatch(sorted)
})

test('documents are read by whole keys, and no others are', async () => {
  const { reading } = await plans({ maxResultsPerDefinitionPerSubject: 3 }, subjects.slice(0, 250))
  expect(keysOf(reading)).toEqual([
    ['PRIMARY', 'PRIMARY'],
    ['PRIMARY', 'PRIMARY'],
  ])
  expect(extrasOf(reading)).not.toMatch(sorted)
  expect(reading.map(({ rows }) => rows)).toEqual([500, 250])
  for (const { rows, read } of reading) expect(read).toBeLessThanOrEqual(4 * rows + 2)
})

test('of many submissions in one millisecond, only the documents that are wanted are read', async () => {
  const at = new Date(Date.now() - day)
  const { reading } = await plans({ maxResults: 1_500 }, undefined, await tenantWith(2_000, () => at))
  expect(extrasOf(reading)).not.toMatch(sorted)
  expect(reading.map(({ rows }) => rows)).toEqual([500, 500, 500])
  for (const { rows, read } of reading) expect(read).toBeLessThanOrEqual(2_000 + 2 * rows + 10)
})

test('of submissions that are large in what is not asked for, what is asked for is read 500 at a time, after its sizes', async () => {
  const tenantId = await tenantWith(1_000, n => new Date(Date.now() - day - n * 3_600_000))
  await db('form_reports')
    .where({ tenant_id: tenantId })
    .update({ bytes: 5 * 1024 * 1024 })
  const narrowed = {
    identifier: 'notes',
    type: 'form' as const,
    key: 'small',
    version: 1,
    buildingBlocks: [{ key: 'small' }],
  }
  const { reading } = await plans({ maxResults: 1_000, definitions: [narrowed] }, undefined, tenantId)
  expect(reading.map(({ rows }) => rows)).toEqual([500, 500, 500, 500])
})

test('of forms with several building blocks, only documents of those that are asked for are read', async () => {
  const [{ buildingBlocks: [small] = [] }] = [aNote() as { buildingBlocks?: object[] }]
  const extra = { key: 'extra', sections: [{ id: 'more', controls: [{ id: 'more', label: 'More' }] }] }
  const timeOf = (n: number) => new Date(Date.now() - day - n)
  const tenantId = await tenantWith(10, timeOf, { buildingBlocks: [small, extra] })
  const definition = { identifier: 'notes', type: 'form' as const, key: 'small', version: 1 }
  let most = {}
  const rowsOf = async (...keys: string[]) => {
    const buildingBlocks = keys.length > 0 ? keys.map(key => ({ key })) : undefined
    const { reading } = await plans({ ...most, definitions: [{ ...definition, buildingBlocks }] }, undefined, tenantId)
    return reading.map(({ rows }) => rows)
  }
  expect(await rowsOf('extra')).toEqual([11])
  expect(await rowsOf('small', 'extra')).toEqual([22])
  expect(await rowsOf()).toEqual([22])

  // 3 MB each, of which half is in either building block; they are asked for by name, so their sizes are read first.
  const document = JSON.stringify({ more: 'x'.repeat(1.5 * 1024 * 1024) })
  await db('form_values').where({ tenant_id: tenantId }).update({ document })
  await db('form_reports')
    .where({ tenant_id: tenantId })
    .update({ bytes: 2 * document.length })
  most = { maxResults: 3 }
  expect(await rowsOf('small', 'extra')).toEqual([6, 2, 2, 2])
  expect(await rowsOf('small')).toEqual([3, 2, 1])
})

test('of large documents, at most 4 MB are read at once, and one that is larger alone', async () => {
  const tenantId = await tenantWith(10, n => new Date(Date.now() - day - n * 3_600_000))
  const sized = (bytes: number) => db('form_reports').where({ tenant_id: tenantId }).update({ bytes })
  await sized(1024 * 1024)
  const { reading } = await plans({}, undefined, tenantId)
  expect(reading.map(({ rows }) => rows)).toEqual([4, 4, 3])
  await sized(5 * 1024 * 1024)
  const { reading: larger } = await plans({ maxResults: 3 }, undefined, tenantId)
  expect(larger.map(({ rows }) => rows)).toEqual([1, 1, 1])
})

test('however many definitions there are, their forms are looked up by one query and their building blocks by another', async () => {
  const definitions = Array.from({ length: 600 }, (_, n) => [
    { type: 'form' as const, key: n === 0 ? 'small' : `form${n}`, version: 1 },
    { type: 'building-block' as const, key: n === 0 ? 'small' : `block${n}`, version: 1 },
  ]).flat()
  const stores = { db, forms: createPublishedForms({ db }) }
  const asked = await plansOf(db, 'definition', async () => {
    const faults = await definitionFaults(stores, tenant, definitions, '')
    expect(faults[0]).toMatchObject({ pointer: '/2/version' })
  })
  expect(asked.map(({ rows }) => rows)).toEqual([1, 1])
})

test('the retention looks once at each definition for reports that have ended, however many count', async () => {
  const counts = await Promise.all(['form_templates', 'form_building_blocks'].map(table => db(table).count({ n: '*' })))
  const definitions = counts.flat().reduce((sum, { n }) => sum + Number(n), 0)
  const [first] = await plansOf(db, 'form_reports', () => forgetReports(db, day))
  expect(first && keysOf([first]).flat()).toContain('form_reports_by_end')
  expect(extrasOf(first ? [first] : [])).not.toMatch(sorted)
  expect(first?.read).toBeLessThanOrEqual(8 * definitions + 20)
})

test('an increment reads what began and ceased to count since the instant before it, and nothing else', async () => {
  const tenantId = await tenantWith(1_000, n => new Date(Date.now() - day - n * 3_600_000))
  const interval = { from: new Date(Date.now() - 11 * day), instant: new Date() }
  const withdrawn = [new Date(Date.now() - 22 * day), new Date(Date.now() - 20 * day)] as const
  await db('form_reports')
    .where({ tenant_id: tenantId })
    .whereBetween('submitted_at', withdrawn)
    .update({ counts_until: new Date(Date.now() - day / 2) })
  // An extract that is kept holds the retention off them.
  await db('form_extracts').insert({ tenant_id: tenantId, job_id: newId(), instant: interval.from, request: '{}' })
  const definition = { identifier: 'notes', type: 'form' as const, key: 'small', version: 1 }
  const started = await plansOf(db, 'form_reports', async () => {
    for await (const _ of startedIn(readsAt(db), tenantId, interval, definition));
  })
  const ended = await plansOf(db, 'form_reports', async () => {
    for await (const _ of endedIn(readsAt(db), tenantId, interval, definition));
  })
  expect([keysOf(started), keysOf(ended)]).toEqual([
    [['form_reports_by_start']],
    [['form_reports_by_end', 'form_reports_by_subject']],
  ])
  expect(extrasOf([...started, ...ended])).not.toMatch(sorted)
  expect([started, ended].map(([plan]) => plan?.rows)).toEqual([241, 48])
  for (const { rows, read } of started) expect(read).toBeLessThanOrEqual(rows + 2)
  const ofSubject = 1_000 / subjects.length
  for (const { rows, read } of ended) expect(read).toBeLessThanOrEqual(rows * (ofSubject + 3) + 2)
})
