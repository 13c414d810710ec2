// Exports of forms.
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import pino from 'pino'
import { expect, inject, test } from 'vitest'
import { exportActivities } from '../../activities/forms/export.js'
import { reconcileSchedules } from '../../activities/platform/manifest-schedules.js'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { endedIn, type Interval, startedIn } from '../../db/forms/exports/export-entries.js'
import { createPublishedForms } from '../../db/forms/templates/published-forms.js'
import { noReplicas, readsAt } from '../../db/replicas.js'
import { type Cell, upsertRows } from '../../db/rows.js'
import { createExportTargets } from '../../db/storage/export-targets.js'
import { newId } from '../../runtime/ids.js'
import { readConfig } from '../../runtime/settings/config.js'
import { callsOf } from '../../runtime/temporal/calls.js'
import { createOutcomes } from '../../runtime/temporal/outcomes.js'
import { exportScheduleId } from '../../workflows/forms/contracts.js'
import {
  checkSums,
  type Delivered,
  type ExportJob,
  exportJobs,
  filesIn,
  manifestOfExport,
  objectsIn,
  runExport,
  unzipped,
  warehouse,
} from '../support/exports.js'
import { extract } from '../support/extracts.js'
import {
  addPerson,
  aTemplate,
  blockAsked,
  type FormsTenant,
  formAsked,
  formsTenant,
  openDatabase,
  someValues,
} from '../support/factories.js'
import { patientOf } from '../support/instances.js'
import { openTemporal } from '../support/jobs.js'
import { mergesOf } from '../support/merges.js'
import { startS3 } from '../support/s3.js'

const definitions = [
  formAsked('visit', { identifier: 'visits', buildingBlocks: [{ key: 'visit', controlIds: ['weight', 'photo'] }] }),
  blockAsked('wounds'),
]
const anExport = (key: string, more: object = {}) => ({
  key,
  every: 3600,
  destination: 'directory',
  definitions,
  ...more,
})

const db = openDatabase()
const temporal = await openTemporal()
const tenant = await visited(
  anExport('directory'),
  anExport('s3', { destination: 's3' }),
  anExport('later', { definitions: [...definitions, formAsked('later')] }),
)
const tenantId = await tenantIdOf(db, tenant.tenantKey)

/** A tenant with exports, and five visits of its subject, three of them with wounds. */
async function visited(...exports: object[]): Promise<FormsTenant> {
  const made = await formsTenant({ exports })
  await made.publish(aTemplate())
  const patient = patientOf(made)
  for (let n = 0; n < 5; n++) {
    const values = n < 3 ? someValues : { visited: `2026-11-0${n}` }
    const id = await patient.created({ formKey: 'visit' })
    expect(await patient.submit(id, values)).toMatchObject({ status: 200 })
  }
  return made
}

/** The SDK would print the failures that tests are there to cause. */
const logger = new DefaultLogger('ERROR')

const run = (of: FormsTenant, key: string) => runExport(temporal, of, key)
const inDirectory = (job: ExportJob) => filesIn(inject('exportDir'), job)

test.each<[destination: string, (job: ExportJob) => Promise<Delivered>]>([
  ['directory', inDirectory],
  ['s3', job => objectsIn(inject('exportBucket'), job)],
])('an export to %s has what a multi extract of then has, with checksums and a manifest', async (destination, read) => {
  const job = await run(tenant, destination)
  const { instant, folder } = job.input
  expect(job).toMatchObject({
    status: 'Completed',
    actor: 'schedule',
    progress: { done: 3, total: 3 },
    counts: { results: 8, files: 2 },
    input: { export: destination, mode: 'full', destination },
  })
  expect(folder).toBe(`${tenant.tenantKey}/${destination}/${instant.replace(/[-:.]/g, '')}`)

  const files = await read(job)
  expect([...files.keys()].sort()).toEqual(['SHA256SUMS', 'manifest.json', 'visits.ndjson.gz', 'wounds.ndjson.gz'])
  expect(await checkSums(files)).toEqual(['visits.ndjson.gz: OK', 'wounds.ndjson.gz: OK', 'manifest.json: OK'])
  const { body } = await extract(tenant.forms, { definitions }, { accept: 'application/x-ndjson' })
  expect(unzipped(files, 'visits.ndjson.gz') + unzipped(files, 'wounds.ndjson.gz')).toBe(body)
  const bytes = files.get('wounds.ndjson.gz')?.length
  expect(manifestOfExport(files)).toEqual({
    tenant: tenant.tenantKey,
    export: destination,
    mode: 'full',
    instant,
    definitions,
    files: [
      expect.objectContaining({ name: 'visits.ndjson.gz', results: 5 }),
      { name: 'wounds.ndjson.gz', results: 3, bytes, sha256: expect.stringMatching(/^[\da-f]{64}$/) },
    ],
  })
})

test('the objects of an export have their content types', async () => {
  const { S3_ENDPOINT, EXPORT_BUCKET } = inject('exportBucket')
  const { input } = await run(tenant, 's3')
  const typeOf = async (name: string) => {
    const { status, headers } = await fetch(`${S3_ENDPOINT}/${EXPORT_BUCKET}/${input.folder}/${name}`)
    return `${status} ${headers.get('content-type')}`
  }
  expect(await typeOf('visits.ndjson.gz')).toBe('200 application/gzip')
  expect(await typeOf('SHA256SUMS')).toBe('200 text/plain; charset=utf-8')
  expect(await typeOf('manifest.json')).toBe('200 application/json')
})

test('an export is in a folder of its tenant, and all that was there before stays as it was', async () => {
  const other = await visited(anExport('directory'))
  const foldersOf = (of: FormsTenant) => readdir(join(inject('exportDir'), of.tenantKey, 'directory'))
  const first = await run(tenant, 'directory')
  const [before, folders] = [await inDirectory(first), await foldersOf(tenant)]
  const [again] = [await run(other, 'directory'), await run(other, 'directory')]
  expect([await inDirectory(first), await foldersOf(tenant)]).toEqual([before, folders])
  expect(await foldersOf(other)).toHaveLength(2)
  expect((await inDirectory(again)).size).toBe(4)
})

test('an export of a form that is not published says what is missing, and goes on once it is published', async () => {
  const failed = await run(tenant, 'later')
  expect(failed).toMatchObject({
    status: 'Failed',
    problem: {
      type: '/problems/export-not-published',
      detail: expect.stringContaining('Publish what is missing and retry the job'),
      errors: [{ pointer: '/definitions/2/version', code: 'not-published' }],
    },
  })
  await tenant.publish(aTemplate({ key: 'later' }))
  await tenant.post(`${failed.links.self}/retry`)
  const job = async () => (await tenant.get<ExportJob>(failed.links.self)).body
  await expect.poll(job, { timeout: 20_000 }).toMatchObject({ status: 'Completed', counts: { files: 3 } })
  expect(await checkSums(await inDirectory(failed))).toHaveLength(4)
})

test('an upload that a killed process left unfinished is aborted when the file is written again', async () => {
  const s3 = await startS3()
  try {
    const { exports } = readConfig({
      ...s3.exportEnv,
      DATABASE_URL: 'mysql://x/x',
      ENCRYPTION_KEY: inject('encryptionKey'),
    })
    const { S3_ENDPOINT: endpoint = '', EXPORT_BUCKET: Bucket, ...secret } = s3.exportEnv
    const { S3_ACCESS_KEY_ID: accessKeyId = '', S3_SECRET_ACCESS_KEY: secretAccessKey = '' } = secret
    const credentials = { accessKeyId, secretAccessKey }
    const client = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1', credentials })
    for (const Key of ['t/a/1/b.ndjson.gz', 't/a/1/other'])
      await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const content = (async function* () {
      yield Buffer.from('b')
    })()
    await createExportTargets({ exports }).s3?.write('t/a/1', 'b.ndjson.gz', content)
    expect(await s3.uploads()).toEqual(['t/a/1/other'])
    expect(await s3.objects()).toEqual(['t/a/1/b.ndjson.gz'])
  } finally {
    await s3.stop()
  }
})

test('an export that is no longer in the manifest does not run', async () => {
  const before = await exportJobs(tenant)
  await run(tenant, 'gone')
  expect(await exportJobs(tenant)).toEqual(before)
})

test.each([
  ['s3', 'EXPORT_BUCKET', undefined, 'The workers have no EXPORT_BUCKET. Set it and restart them'],
  ['directory', 'EXPORT_DIRECTORY', undefined, 'The workers have no EXPORT_DIRECTORY. Set it and restart them'],
  ['directory', 'EXPORT_DIRECTORY', 'directory /elsewhere', 'EXPORT_DIRECTORY has changed since the export began.'],
] as const)('an export to %s fails where %s of the workers is %s, and says the next step', async (...of) => {
  const [exportKey, , name, detail] = of
  const activities = (named: string | undefined) => {
    const never = async () => expect.unreachable()
    const place = named === undefined ? undefined : { name: named, write: never, removeAll: never }
    const targets = { directory: place, s3: place }
    const log = pino({ level: 'silent' })
    return exportActivities({
      db,
      reads: noReplicas(db),
      log,
      temporal: () => expect.unreachable(),
      jobEnds: createOutcomes(),
      forms: createPublishedForms({ db }),
      targets,
      publicUrl: inject('baseUrl'),
    })
  }
  const { tenantKey } = tenant
  const { beginExport } = activities(name && 'directory /there')
  await new MockActivityEnvironment(undefined, { logger }).run(beginExport, { tenantKey, exportKey })
  const [begun] = await exportJobs(tenant)
  const input = { tenantKey, jobId: begun?.jobId ?? '', limit: 1 }
  await expect(
    new MockActivityEnvironment(undefined, { logger }).run(activities(name).formExport, input),
  ).rejects.toThrow()
  const problem = { type: '/problems/export-not-set-up', detail: expect.stringContaining(detail) }
  expect((await exportJobs(tenant))[0]).toMatchObject({ jobId: begun?.jobId, status: 'Failed', problem })
})

/** An export in the rhythm of `time`. */
const scheduled = (key: string, time: object) => ({
  key,
  destination: 'directory',
  definitions: [blockAsked('wounds')],
  ...time,
})

/** What the API processes do every 15 s; they may do so at the same moment. */
async function manifestHas(...exports: object[]): Promise<void> {
  await tenant.change({ forms: { exports } })
  await reconcileSchedules(db, callsOf(temporal), pino({ level: 'silent' }))
}

const schedule = (exportKey: string) =>
  temporal.schedule.getHandle(exportScheduleId({ tenantKey: tenant.tenantKey, exportKey }))

const described = (exportKey: string) =>
  schedule(exportKey)
    .describe()
    .catch(() => undefined)

test('each export of a manifest has a schedule of its rhythm, which changes and goes with the manifest', async () => {
  const vienna = { dailyAt: '02:30', timeZone: 'Europe/Vienna' }
  await manifestHas(scheduled('hourly', { every: 3600 }), scheduled('nightly', vienna))
  const day = 86_400_000
  expect(await described('hourly')).toMatchObject({
    spec: { intervals: [{ every: 3_600_000 }] },
    policies: { overlap: 'SKIP', catchupWindow: day },
    action: { workflowType: 'scheduledExport', args: [{ tenantKey: tenant.tenantKey, exportKey: 'hourly' }] },
  })
  const nightly = await described('nightly')
  expect(nightly).toMatchObject({
    spec: { timezone: 'Europe/Vienna' },
    policies: { overlap: 'SKIP', catchupWindow: day },
  })
  const [first, second] = nightly?.info.nextActionTimes ?? []
  const timeThere = (time?: Date) => time?.toLocaleTimeString('en-GB', { timeZone: 'Europe/Vienna' })
  expect([timeThere(first), timeThere(second)]).toEqual(['02:30:00', '02:30:00'])

  await manifestHas(scheduled('hourly', { every: 7200 }), scheduled('nightly', { dailyAt: '02:30' }))
  expect(await described('hourly')).toMatchObject({ spec: { intervals: [{ every: 7_200_000 }] } })
  expect((await described('nightly'))?.info.nextActionTimes[0]?.toISOString()).toContain('T02:30:00')

  await manifestHas(scheduled('hourly', { every: 7200 }))
  expect(await described('hourly')).toBeDefined()
  expect(await described('nightly')).toBeUndefined()
})

test('a schedule that an operator has paused stays paused when its rhythm changes, and is left alone when it does not', async () => {
  const at = (time: string) => scheduled('paused-daily', { dailyAt: time, timeZone: 'Europe/Vienna' })
  const every = (seconds: number) => scheduled('paused', { every: seconds })
  await manifestHas(every(3600), at('02:30'))
  for (const key of ['paused', 'paused-daily']) await schedule(key).pause('The warehouse is being moved')
  const paused = { paused: true, note: 'The warehouse is being moved' }

  const reconcile = () => reconcileSchedules(db, callsOf(temporal), pino({ level: 'silent' }))
  const soon = { timeout: 20_000, interval: 200 }
  // There and back again. What Temporal lists is some moments behind, so it is compared again and again, as every 15 s.
  for (const [seconds, time] of [
    [7200, '03:45'],
    [3600, '02:30'],
  ] as const) {
    await manifestHas(every(seconds), at(time))
    const [hour, minute] = time.split(':').map(Number)
    const both = async () => {
      await reconcile()
      return [await described('paused'), await described('paused-daily')]
    }
    await expect.poll(both, soon).toMatchObject([
      { state: paused, spec: { intervals: [{ every: seconds * 1000 }] } },
      {
        state: paused,
        spec: { timezone: 'Europe/Vienna', calendars: [{ hour: [{ start: hour }], minute: [{ start: minute }] }] },
      },
    ])
  }
  const updates = async () =>
    [await described('paused'), await described('paused-daily')].map(each => each?.info.lastUpdatedAt?.toISOString())
  const isLeftAlone = async () => {
    const before = await updates()
    await reconcile()
    return String(before) === String(await updates())
  }
  await expect.poll(isLeftAlone, soon).toBe(true)
})

test('an operator triggers a schedule, and sees the job', async () => {
  await manifestHas(scheduled('triggered', { every: 31_536_000 }))
  await schedule('triggered').trigger()
  const job = async () => (await exportJobs(tenant)).at(0)
  await expect
    .poll(job, { timeout: 30_000 })
    .toMatchObject({ status: 'Completed', actor: 'schedule', input: { export: 'triggered' } })
  const done = await job()
  expect(done && (await inDirectory(done)).size).toBe(3)
})

/** From a time until a time, in ms after the first instant. */
type Span = readonly [from: number, until: number]

interface Report {
  instance: string
  subject: string
  spans: readonly Span[]
}

// Reports that ended long ago would be deleted by the retention.
const first = Date.now() - 3_600_000
const forever = Date.parse('9999-12-31T00:00:00Z') - first
const timeOf = (ms: number): Date => new Date(first + ms)

const formOf = (key: string) => ({ identifier: key, type: 'form' as const, key, version: 1 })

/** Writes what `form_reports` has of a form. */
async function store(key: string, reports: readonly Report[]): Promise<void> {
  const rows = reports.flatMap(({ instance, subject, spans }) =>
    spans.map(([from, until]): Record<string, Cell> => {
      const definition = { tenant_id: tenantId, is_block: 0, definition_key: key, definition_version: 1 }
      const times = { submitted_at: timeOf(from), counts_from: timeOf(from), counts_until: timeOf(until) }
      const ids = { instance_id: instance, version_id: newId(), subject_id: subject }
      return { ...definition, ...times, ...ids, submitted_by: 'Ada', correlation_id: null, bytes: 1 }
    }),
  )
  const cells = rows.map(row => Object.values(row))
  await upsertRows(db, 'form_reports', Object.keys(rows[0] ?? {}), cells, [])
}

/** What an increment has of a form, in its order; `pageRows`: as the product pages, unless it is said. */
async function incrementOf(key: string, interval: Interval, pageRows?: number) {
  const [started, ended]: [string[], string[]] = [[], []]
  for await (const page of startedIn(readsAt(db), tenantId, interval, formOf(key), pageRows))
    started.push(...page.map(({ instanceId }) => instanceId))
  for await (const instance of endedIn(readsAt(db), tenantId, interval, formOf(key), pageRows)) ended.push(instance)
  return { started, ended }
}

/** The span of an instance that counts at an instant. */
const countingAt = (spans: readonly Span[], instant: number): Span | undefined =>
  spans.find(([from, until]) => from < instant && instant <= until)

/**
 * All that can become of an instance at some of these times: submitted, amended, withdrawn, reinstated, one after the
 * other.
 */
function livesOf(times: readonly number[]): Span[][] {
  const chosen = Array.from({ length: 2 ** times.length - 1 }, (_, n) => times.filter((_, bit) => (n + 1) & (1 << bit)))
  return chosen.flatMap(changes => {
    const spans = changes.map((from, n): Span => [from, changes[n + 1] ?? forever])
    const withGaps = spans.filter((_, n) => n % 2 === 0)
    // Withdrawn in the millisecond in which it was submitted or amended.
    const atOnce = [...spans.slice(0, -1), [changes.at(-1) ?? 0, changes.at(-1) ?? 0] as const]
    return [spans, withGaps, spans.slice(0, -1), atOnce].filter(life => life.length > 0)
  })
}

test('a change in the same millisecond as an instant is in the next increment only', async () => {
  const instants = [0, 2, 3, 5]
  const lives = livesOf([-1, 0, 1, 2, 3, 4, 5]).map(spans => ({ instance: newId(), subject: newId(), spans }))
  await store('edges', lives)
  for (const [n, instant] of instants.entries()) {
    const from = instants[n - 1]
    if (from === undefined) continue
    const { started, ended } = await incrementOf('edges', { from: timeOf(from), instant: timeOf(instant) })
    const [begun, gone]: [string[], string[]] = [[], []]
    for (const { instance, spans } of lives) {
      const [before, after] = [countingAt(spans, from), countingAt(spans, instant)]
      if (after && after !== before) begun.push(instance)
      if (before && !after) gone.push(instance)
    }
    expect([started.toSorted(), ended.toSorted()]).toEqual([begun.toSorted(), gone.toSorted()])
    expect(Math.min(begun.length, gone.length), 'there was something to compare').toBeGreaterThan(20)
  }
})

test('an increment has the forms of a merged subject again, under the subject that stays, and removes none', async () => {
  const of = await visited(anExport('merged', { mode: 'incremental' }))
  const goes = await addPerson(of, 'goes')
  const moved = await patientOf({ ...of, subjectId: goes }).created({ formKey: 'visit' })
  expect(await patientOf({ ...of, subjectId: goes }).submit(moved, someValues)).toMatchObject({ status: 200 })
  const applied = warehouse()
  const apply = async () => applied.apply(await inDirectory(await run(of, 'merged')))
  await apply()
  const { merge, unmerge } = mergesOf(of)
  const subjects = async () => {
    const { files } = await apply()
    const counted = Object.fromEntries(files.map(({ name, results }) => [name, results]))
    const found = applied.results().filter(({ instanceGuid }) => instanceGuid === moved)
    return { counted, subjects: found.map(({ subjectIdentifier }) => subjectIdentifier) }
  }
  const twice = { 'visits.ndjson.gz': 1, 'wounds.ndjson.gz': 1, 'removed.ndjson.gz': 0 }
  await merge(of.subjectId, goes)
  expect(await subjects()).toEqual({ counted: twice, subjects: [of.subjectId, of.subjectId] })
  await unmerge(goes)
  await merge(of.subjectId, goes)
  await patientOf(of).amend(moved)
  await patientOf(of).submit(moved, someValues, '*')
  await unmerge(goes)
  expect(await subjects()).toEqual({ counted: twice, subjects: [goes, goes] })
  expect(applied.results()).toHaveLength(10)
})

test('an increment over many pages has every change once, also if many are of one millisecond', async () => {
  // Pages of 20 end in the middle of one millisecond, and with the last row.
  const changedAt = (n: number) => (n < 6 ? n % 3 : n < 36 ? 10 : 11 + (n % 3))
  const subjects = Array.from({ length: 10 }, newId)
  const reports = Array.from({ length: 40 }, (_, n) => ({
    // In no order.
    instance: randomUUID(),
    subject: subjects[n % subjects.length] ?? '',
    spans: [[changedAt(n), 1_000 + changedAt(n)]] as const,
  }))
  await store('pages', reports)
  const inOrder = reports.toSorted((a, b) => a.spans[0][0] - b.spans[0][0] || (a.instance < b.instance ? -1 : 1))
  const ids = inOrder.map(({ instance }) => instance)
  const begun = await incrementOf('pages', { from: timeOf(0), instant: timeOf(1_000) }, 20)
  const ended = await incrementOf('pages', { from: timeOf(1_000), instant: timeOf(2_000) }, 20)
  expect(begun).toEqual({ started: ids, ended: [] })
  expect(ended).toEqual({ started: [], ended: ids })
})
