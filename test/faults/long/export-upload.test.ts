// An export to S3 beside kills.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  checkSums,
  exportJobs,
  filesIn,
  manifestOfExport,
  objectsIn,
  runExport,
  startExport,
} from '../../support/exports.js'
import { aSmallTemplate, type FormsTenant, formAsked, formsTenant } from '../../support/factories.js'
import { ended, signal } from '../../support/faults.js'
import { patientOf } from '../../support/instances.js'
import { temporalClient } from '../../support/jobs.js'
import { type S3, startS3 } from '../../support/s3.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

let s3: S3
let stack: Stack
let temporal: Awaited<ReturnType<typeof temporalClient>>
let tenant: FormsTenant

const texts = Array.from({ length: 10 }, (_, n) => ({ id: `text${n}`, label: `Text ${n}`, maxLength: 100_000 }))
const definitions = [formAsked('small')]

beforeAll(async () => {
  s3 = await startS3()
  stack = await startStack(s3.exportEnv)
  temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  const exports = ['directory', 's3'].map(destination => ({
    key: destination,
    every: 86_400,
    destination,
    definitions,
  }))
  tenant = await formsTenant({ exports }, stack.baseUrl)
  await tenant.publish(aSmallTemplate(texts))
  const patient = patientOf(tenant)
  // 10 MB that gzip makes 7.5 of: an upload of two parts.
  for (let n = 0; n < 10; n++) {
    const id = await patient.created()
    const values = Object.fromEntries(texts.map(text => [text.id, randomBytes(75_000).toString('base64')]))
    expect(await patient.submit(id, values)).toMatchObject({ status: 200 })
  }
})
afterAll(async () => {
  await temporal?.close()
  await stack?.stop()
  await s3?.stop()
})

test('an export to a bucket whose worker is killed in the middle of an upload ends with the bytes of one that nothing disturbed', async () => {
  const undisturbed = await filesIn(stack.exportDir, await runExport(temporal.client, tenant, 'directory'))
  const second = s3.hold(2)
  await startExport(temporal.client, tenant, 's3')
  await second.arrived
  const [job] = await exportJobs(tenant)
  if (!job) throw new Error('There is no export')
  const key = `${job.input.folder}/small.ndjson.gz`
  expect([await s3.uploads(), await s3.objects()]).toEqual([[key], []])
  const killed = signal(stack.worker, 'SIGKILL')
  await until('another worker runs', async () => stack.worker.pid !== undefined && stack.worker.pid !== killed)
  second.open()

  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', progress: { done: 2, total: 2 } })
  const files = await objectsIn(s3.exportEnv, job)
  const [data, expected] = [files, undisturbed].map(all => all.get('small.ndjson.gz'))
  expect(expected?.length).toBeGreaterThan(6_000_000)
  expect(data && expected?.equals(data)).toBe(true)
  expect(manifestOfExport(files).files).toEqual(manifestOfExport(undisturbed).files)
  expect(await checkSums(files)).toHaveLength(2)
  expect(await s3.uploads(), 'what the killed one had begun').toEqual([])
})
