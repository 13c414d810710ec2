import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import type { Knex } from 'knex'
import pino from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { exportActivities } from '../../activities/forms/export.js'
import { connect } from '../../db/connect.js'
import { createPublishedForms } from '../../db/forms/published-forms.js'
import { createExportPlaces } from '../../db/storage/export-places.js'
import { readConfig } from '../../runtime/config.js'
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
} from '../support/exports.js'
import { blockAsked, extract, formAsked } from '../support/extracts.js'
import { aTemplate, type FormsTenant, formsTenant, someValues } from '../support/forms.js'
import { patientOf } from '../support/instances.js'
import { temporalClient } from '../support/jobs.js'
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

let db: Knex
let temporal: Awaited<ReturnType<typeof temporalClient>>
let tenant: FormsTenant
beforeAll(async () => {
  db = connect(inject('databaseUrl'), { poolSize: 2 })
  temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  tenant = await visited(
    anExport('directory'),
    anExport('s3', { destination: 's3' }),
    anExport('later', { definitions: [...definitions, formAsked('later')] }),
  )
})
afterAll(async () => {
  await temporal?.close()
  await db?.destroy()
})

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

const run = (of: FormsTenant, key: string) => runExport(temporal.client, of, key)
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

test('the objects of an export say what they are', async () => {
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

test('an export of what is not published says what is missing, and goes on when it is published', async () => {
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

test('what a killed process had begun to upload is given up when the file is written again', async () => {
  const s3 = await startS3()
  try {
    const { exports } = readConfig({
      ...s3.exportEnv,
      DATABASE_URL: 'mysql://x',
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
    await createExportPlaces({ exports }).s3?.write('t/a/1', 'b.ndjson.gz', content)
    expect(await s3.uploads()).toEqual(['t/a/1/other'])
    expect(await s3.objects()).toEqual(['t/a/1/b.ndjson.gz'])
  } finally {
    await s3.stop()
  }
})

test('what was set up when names that differ in large and small letters alone were still taken goes on', async () => {
  const old = await visited(anExport('a'))
  const alike = definitions.map(each => ({ ...each, identifier: each.identifier === 'visits' ? 'WOUNDS' : 'wounds' }))
  const settings = JSON.stringify({
    launch: { frameAncestors: [] },
    exports: ['a', 'A'].map(key => anExport(key, { mode: 'full', definitions: alike })),
  })
  const { id } = await db('tenants').where({ tenant_key: old.tenantKey }).first('id')
  await db('form_settings').where({ tenant_id: id }).update({ settings })
  for (const key of ['a', 'A']) {
    const files = await inDirectory(await run(old, key))
    expect(manifestOfExport(files).files).toMatchObject([
      { name: 'WOUNDS.ndjson.gz', results: 5 },
      { name: 'wounds.ndjson.gz', results: 3 },
    ])
    expect(await checkSums(files)).toHaveLength(3)
  }
  await old.change({ forms: { exports: [anExport('a')] } })
  expect(await run(old, 'a')).toMatchObject({ status: 'Completed', counts: { results: 8 } })
})

test('what the manifest has no more is not exported', async () => {
  const before = await exportJobs(tenant)
  await run(tenant, 'gone')
  expect(await exportJobs(tenant)).toEqual(before)
})

test.each([
  ['s3', 'EXPORT_BUCKET', undefined, 'The workers have no EXPORT_BUCKET. Set it and start them again'],
  ['directory', 'EXPORT_DIRECTORY', undefined, 'The workers have no EXPORT_DIRECTORY. Set it and start them again'],
  ['directory', 'EXPORT_DIRECTORY', 'directory /elsewhere', 'EXPORT_DIRECTORY is another than when the export began.'],
] as const)('an export to %s fails where %s of the workers is %s, and says the next step', async (...of) => {
  const [exportKey, , name, detail] = of
  const activities = (named: string | undefined) => {
    const place = named === undefined ? undefined : { name: named, write: async () => expect.unreachable() }
    const places = { directory: place, s3: place }
    const log = pino({ level: 'silent' })
    return exportActivities({ db, log, forms: createPublishedForms({ db }), places })
  }
  const { tenantKey } = tenant
  const { beginExport } = activities(name && 'directory /there')
  await new MockActivityEnvironment(undefined, { logger }).run(beginExport, { tenantKey, exportKey })
  const [begun] = await exportJobs(tenant)
  const input = { tenantKey, jobId: begun?.jobId ?? '', limit: 1 }
  await expect(
    new MockActivityEnvironment(undefined, { logger }).run(activities(name).writeExportFiles, input),
  ).rejects.toThrow()
  const problem = { type: '/problems/export-not-set-up', detail: expect.stringContaining(detail) }
  expect((await exportJobs(tenant))[0]).toMatchObject({ jobId: begun?.jobId, status: 'Failed', problem })
})
