// Exports beside kills and outages.
import { readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import type { Supervised } from '../../../dev/supervise.js'
import {
  checkSums,
  type Delivered,
  type ExportJob,
  exportJobs,
  filesIn,
  manifestOfExport,
  objectsIn,
  runExport,
  startExport,
} from '../../support/exports.js'
import { extractPopulation, formKey, type Population } from '../../support/extract-population.js'
import { blockAsked, formAsked } from '../../support/factories.js'
import { ended, signal } from '../../support/faults.js'
import { operatorOf, temporalClient } from '../../support/jobs.js'
import { type S3, startS3 } from '../../support/s3.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

let s3: S3
let stack: Stack
let temporal: Awaited<ReturnType<typeof temporalClient>>
let tenant: Population
/** Of an export that nothing disturbed. */
let undisturbed: Delivered

beforeAll(async () => {
  s3 = await startS3()
  stack = await startStack(s3.exportEnv)
  temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  tenant = await extractPopulation(stack, { submissions: 30_000, subjects: 500 })
  const definitions = [formAsked(formKey, { identifier: 'whole' }), blockAsked('plan'), blockAsked('history')]
  const exports = ['directory', 's3'].map(destination => ({
    key: destination,
    every: 86_400,
    destination,
    definitions,
  }))
  await tenant.change({ forms: { exports } })
  const job = await runExport(temporal.client, tenant, 'directory')
  expect(job).toMatchObject({ status: 'Completed', counts: { files: 3 } })
  expect(job.counts.results).toBeGreaterThan(90_000)
  undisturbed = await filesIn(stack.exportDir, job)
})
afterAll(async () => {
  await temporal?.close()
  await stack?.stop()
  await s3?.stop()
})

/** Of the same results, all files but those that tell the instant are the same. */
async function expectWhole(files: Delivered): Promise<void> {
  expect([...files.keys()].sort()).toEqual([...undisturbed.keys()].sort())
  const data = [...undisturbed].filter(([name]) => name.endsWith('.gz'))
  expect(data).toHaveLength(3)
  for (const [name, bytes] of data) expect(files.get(name)?.equals(bytes), name).toBe(true)
  expect(manifestOfExport(files).files).toEqual(manifestOfExport(undisturbed).files)
  expect(await checkSums(files)).toHaveLength(4)
}

/** Begins an export, and does something after the other as its files are written. */
async function whileExported(exportKey: string, ...acts: ((job: ExportJob) => Promise<unknown>)[]): Promise<ExportJob> {
  await startExport(temporal.client, tenant, exportKey)
  // What is not running at the moment is asked again.
  const open = () =>
    exportJobs(tenant).then(
      jobs => jobs.find(isOpen),
      () => undefined,
    )
  const job = await until('the export runs', open)
  for (const act of acts) await act(job)
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', progress: { done: 4, total: 4 } })
  return job
}

const isOpen = ({ status }: ExportJob) => ['Accepted', 'Running'].includes(status)

/** Names of the files that are being written. */
const partsOf = ({ input }: ExportJob) =>
  readdir(join(stack.exportDir, input.folder)).then(
    names => names.filter(name => name.includes('.part-')),
    () => [],
  )

/** Waits until a file is being written that was not when this was last asked. */
function nextPart() {
  const seen = new Set<string>()
  return (job: ExportJob) =>
    until('a file is being written', async () => {
      const part = (await partsOf(job)).find(name => !seen.has(name))
      if (part !== undefined) seen.add(part)
      return part
    })
}

test('an export to a directory whose worker and database are killed as files are written ends with the same bytes', async () => {
  const part = nextPart()
  const job = await whileExported(
    'directory',
    async job => {
      await part(job)
      signal(stack.worker, 'SIGKILL')
    },
    async job => {
      await part(job)
      if (stack.database) signal(stack.database, 'SIGKILL')
    },
    async job => {
      await part(job)
      signal(stack.worker, 'SIGKILL')
    },
  )
  await expectWhole(await filesIn(stack.exportDir, job))
})

test('an export to a bucket whose worker is killed between two files ends with the same bytes', async () => {
  const job = await whileExported('s3', async ({ input }) => {
    const isThere = (key: string) => key.startsWith(`${input.folder}/`)
    await until('a file is there', async () => (await s3.objects()).some(isThere))
    signal(stack.worker, 'SIGKILL')
  })
  await expectWhole(await objectsIn(s3.exportEnv, job))
  expect(await s3.uploads()).toEqual([])
})

test.each([
  ['while another writes the same file', (job: ExportJob, part: ReturnType<typeof nextPart>) => part(job)],
  ['when another has written all', ({ jobId }: ExportJob) => ended(tenant, jobId)],
])(
  'an export to a directory whose worker hangs while it writes a file and goes on %s ends with the same bytes',
  async (_, another) => {
    const part = nextPart()
    const added: Supervised[] = []
    const job = await whileExported(
      'directory',
      async job => {
        const path = join(stack.exportDir, job.input.folder, await part(job))
        await until('some of it is written', async () => (await stat(path)).size > 100_000)
        signal(stack.worker, 'SIGSTOP')
        added.push(stack.addWorker())
      },
      job => another(job, part),
      async () => signal(stack.worker, 'SIGCONT'),
    )
    for (const worker of added) await worker.stop()
    // The one that hung is the only one now.
    await whileExported('directory')
    await expectWhole(await filesIn(stack.exportDir, job))
  },
  300_000,
)

test('an export waits while its directory is missing, and continues afterwards', async () => {
  const away = `${stack.exportDir}-away`
  await rename(stack.exportDir, away)
  const job = await whileExported('directory', async () => {
    const tried = async () => {
      for await (const { workflowId } of temporal.client.workflow.list({ query: "WorkflowType = 'formExport'" })) {
        const { raw } = await temporal.client.workflow.getHandle(workflowId).describe()
        if (raw.pendingActivities?.some(({ attempt }) => (attempt ?? 0) > 1)) return true
      }
      return false
    }
    await until('it is tried again', tried)
    await rename(away, stack.exportDir)
  })
  await expectWhole(await filesIn(stack.exportDir, job))
})

test('operators end an export in the Temporal UI: a retry writes the rest, and a reset goes on', async () => {
  const db = connect(stack.databaseUrl, { poolSize: 1 })
  const { age, reset, runOf } = operatorOf(temporal.client, db)
  const acts = {
    Failed: async (jobId: string) => {
      await (await runOf(jobId)).handle.terminate('enough')
      await age(jobId)
    },
    Cancelled: async (jobId: string) => void (await (await runOf(jobId)).handle.cancel()),
    Completed: reset,
  }
  for (const [status, act] of Object.entries(acts)) {
    await startExport(temporal.client, tenant, 'directory')
    const job = await until('the export runs', async () => (await exportJobs(tenant)).find(isOpen))
    await act(job.jobId)
    expect(await ended(tenant, job.jobId)).toMatchObject({ status })
    if (status !== 'Completed') {
      expect((await tenant.post(`/api/v1/jobs/${job.jobId}/retry`)).status).toBe(202)
      expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed' })
    }
    await expectWhole(await filesIn(stack.exportDir, job))
  }
  await db.destroy()
})
