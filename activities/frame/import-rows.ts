// The loop of every import: reads its upload from the place of its job, and begins a step while the one before is written.
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { importFiles } from '../../db/frame/imports/import-files.js'
import { type Import, type ImportIds, importOf, importProgress, isRefused } from '../../db/frame/imports/imports.js'
import type { Allows } from '../../db/frame/users/upsert-permission.js'
import type { StepAhead } from '../../db/jobs/advance.js'
import { isOpen, type JobRow, jobStore } from '../../db/jobs/jobs.js'
import type { Storages } from '../../db/storage/storage.js'
import { separators } from '../../runtime/csv-rows.js'
import { type RowBatch, type RowPlace, rowBatches } from '../../runtime/text-rows.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import type { StepDependencies } from '../jobs/do-steps.js'
import { type Course, doCourses, stepsAhead } from '../jobs/steps-ahead.js'

export interface ImportDependencies extends StepDependencies {
  grants: Grants
  storages: Storages
}

/** An import that is under way. */
export interface OpenImport {
  db: Knex
  tenant: TenantId
  job: JobRow
  ids: ImportIds
  format: Import
}

/** The work of a kind of import on its rows. */
export interface ImportWork<Batch extends RowBatch> {
  /** Where the upload is read on; undefined where no step from here on reads it. */
  from: RowPlace | undefined
  /** Rows and bytes of one step. */
  most: { rows: number; bytes: number }
  /** Reads the rows of a batch, while the step before is written. */
  read(batch: RowBatch): Promise<Batch>
  /** Begins the step of a batch. @param readOn lets the next one begin: called while the database is busy with this one. */
  write(batch: Batch, allows: Allows, readOn: () => void): StepAhead
  /** Does a step that reads nothing of the upload. */
  afterwards(allows: Allows): Promise<JobProgress>
}

/** Does the next steps of an import. Safe to run again at any point. */
export const importRows = <Batch extends RowBatch>(
  dependencies: ImportDependencies,
  input: StepsInput,
  open: (opened: OpenImport) => Promise<ImportWork<Batch>>,
): Promise<JobProgress> => doCourses(dependencies, input, tenant => beginCourse(dependencies, input, tenant, open))

async function beginCourse<Batch extends RowBatch>(
  { db, storages, grants }: ImportDependencies,
  { tenantKey, jobId }: StepsInput,
  tenant: TenantId,
  open: (opened: OpenImport) => Promise<ImportWork<Batch>>,
): Promise<Course> {
  const job = await jobStore(db, tenant).byId(jobId)
  if (!job || !isOpen(job) || isRefused(job)) return inTurn(() => importProgress(db, tenant, jobId))
  const format = importOf(job)
  const files = importFiles(db, storages, tenant)
  const file = await files.ofJob(jobId)
  const work = await open({ db, tenant, job, ids: { jobId, fileId: file.id }, format })
  const permissions = async (): Promise<Allows> => {
    const grant = await grants.for(tenantKey, job.actor)
    return permission => grant?.allows(permission) ?? false
  }
  const { from } = work
  if (!from) return inTurn(async () => work.afterwards(await permissions()))
  const content = await files.content(file, from.byte)
  const separator = format.format === 'csv' ? separators[format.separator ?? 'comma'] : undefined
  const batches = rowBatches(content, { from, separator, most: work.most })
  const course = stepsAhead(job.done, async readOn => {
    const { value: batch } = await batches.next()
    if (!batch) throw new Error(`The upload of the job ${jobId} has fewer bytes than it had`)
    const read = await work.read(batch)
    const allows = await permissions()
    const step = work.write(read, allows, readOn)
    return { step, items: batch.rows.length, isEnd: batch.next.byte >= format.bytes }
  })
  return {
    next: course.next,
    async end() {
      await course.end()
      await batches.return(undefined)
    },
  }
}

/** A course whose steps each begin in their turn. */
const inTurn = (step: () => Promise<JobProgress>): Course => ({
  next: async () => ({ progress: await step(), isOver: false }),
  end: async () => undefined,
})
