// Accepts the jobs of scheduled exports, and records their plans and written files.
import { hash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import { conflict } from '../../../runtime/problems/problem.js'
import { type JobProgress, queues, workflowIdOf } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { advance, type Counts, type JobRun } from '../../jobs/advance.js'
import { createJob } from '../../jobs/create.js'
import { isOpenFor } from '../../jobs/jobs.js'
import { upsertRows } from '../../rows.js'
import { definitionOf, type ExtractDefinition } from '../extracts/extracts.js'
import { takeInstant } from '../instances/form-clock.js'
import { type FormExport, formSettings } from '../settings.js'

/** Reason why an export contains everything although the manifest asks for increments. */
export type FullBecause = 'first-export' | 'definitions-changed' | 'destination-changed' | 'interrupted'

/** What an export contains. It is decided when the job is accepted, and never changes. */
export interface ExportPlan {
  export: string
  mode: FormExport['mode']
  fullBecause?: FullBecause | undefined
  /** The export shows what counted at this instant (ISO 8601). */
  instant: string
  /** Start of an increment: the instant of the export before it. */
  from?: string | undefined
  destination: FormExport['destination']
  /** Name of the directory or bucket behind the destination; undefined if there was none at the acceptance. */
  place?: string | undefined
  /** Folder at the destination. */
  folder: string
  definitions: ExtractDefinition[]
}

/** A written file. */
export interface ExportFile {
  name: string
  /** Number of lines. */
  results: number
  bytes: number
  sha256: string
}

interface Last {
  job_id: string | null
  instant: Date | null
  definitions: string | null
  place: string | null
}

/**
 * Accepts an export that is due, unless one with the same key is still running.
 * @param place name of the directory or bucket; undefined if the installation does not have this destination.
 * @returns the id of its job, or of the one that is still running.
 */
export async function acceptExport(
  trx: Knex.Transaction,
  tenant: { id: TenantId; key: string },
  wanted: FormExport,
  { actor, place, traceId }: { actor: string; place: string | undefined; traceId: string },
): Promise<string> {
  const one = { tenant_id: tenant.id, export_key: wanted.key }
  // Locks the job before the export, as the steps of a job do, to avoid deadlocks.
  const seen: Last | undefined = await trx('form_exports').where(one).first('job_id')
  const underWay = await openJob(trx, tenant.id, seen?.job_id)
  if (underWay !== undefined) return underWay
  await upsertRows(trx, 'form_exports', Object.keys(one), [Object.values(one)], [])
  const last: Last = await trx('form_exports').where(one).forUpdate().first('job_id', 'instant', 'definitions', 'place')
  const begunMeanwhile = last.job_id === seen?.job_id ? undefined : await openJob(trx, tenant.id, last.job_id)
  if (begunMeanwhile !== undefined) return begunMeanwhile

  const definitions = wanted.definitions.map(definitionOf)
  const { key, mode, destination } = wanted
  const span = mode === 'full' ? { mode } : spanOf(last, fingerprintOf(definitions), place)
  const jobId = newId()
  await createJob(trx, tenant.id, {
    id: jobId,
    kind: 'formExport',
    queue: queues.background,
    actor,
    traceId,
    workflowId: workflowIdOf('formExport', { tenantKey: tenant.key, jobId }),
    // One file for each definition, one for removed results, and the manifest.
    total: definitions.length + (span.mode === 'incremental' ? 2 : 1),
  })
  await trx('form_exports').where(one).update({ job_id: jobId })
  const job = { tenant_id: tenant.id, job_id: jobId }
  await trx('form_export_jobs').insert({ ...job, plan: '{}', files: '[]' })
  const instant = (await takeInstant(trx, tenant.id)).toISOString()
  const folder = `${tenant.key}/${key}/${instant.replace(/[-:.]/g, '')}`
  const shown = { export: key, ...span, instant, destination, folder }
  const plan: ExportPlan = { ...shown, place, definitions }
  await trx('form_export_jobs')
    .where(job)
    .update({ plan: JSON.stringify(plan) })
  const named = definitions.map(({ identifier, type, key, version }) => ({ identifier, type, key, version }))
  await trx('jobs')
    .where({ tenant_id: tenant.id, id: jobId })
    .update({ input: JSON.stringify({ ...shown, definitions: named }) })
  return jobId
}

async function openJob(trx: Knex.Transaction, tenant: TenantId, id?: string | null): Promise<string | undefined> {
  return id && (await isOpenFor(trx, tenant, id)) ? id : undefined
}

/** Decides if an export can be an increment. Returns its start, or the reason why the export contains everything. */
function spanOf(
  { instant, definitions, place }: Last,
  wanted: string,
  wantedPlace: string | undefined,
): Pick<ExportPlan, 'mode' | 'from' | 'fullBecause'> {
  const full = (fullBecause: FullBecause) => ({ mode: 'full', fullBecause }) as const
  if (definitions === null) return full('first-export')
  if (instant === null) return full('interrupted')
  if (definitions !== wanted) return full('definitions-changed')
  if (place !== wantedPlace) return full('destination-changed')
  return { mode: 'incremental', from: instant.toISOString() }
}

/** Hashes definitions, to detect that they have changed. */
const fingerprintOf = (definitions: readonly ExtractDefinition[]): string =>
  hash('sha256', JSON.stringify(definitions), 'hex')

/** Reads the plan of an export's job and the files it has written. Returns undefined after the job's retention. */
export async function exportOf(
  db: Db,
  tenant: TenantId,
  jobId: string,
): Promise<{ plan: ExportPlan; files: ExportFile[] } | undefined> {
  const row: { plan: string; files: string } | undefined = await db('form_export_jobs')
    .where({ tenant_id: tenant, job_id: jobId })
    .first('plan', 'files')
  return row && { plan: JSON.parse(row.plan), files: JSON.parse(row.files) }
}

/** Records a written file as step `n` of the job. @throws Problem like `advance`; 409 if a later export has started. */
export const recordFile = (
  db: Db,
  tenant: TenantId,
  run: JobRun,
  n: number,
  file: ExportFile,
  counts: Counts,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job) => {
    if (job.done !== n) return undefined
    const row = trx('form_export_jobs').where({ tenant_id: tenant, job_id: run.jobId })
    const { plan, files }: { plan: string; files: string } = await row.clone().first('plan', 'files')
    await lockExport(trx, tenant, JSON.parse(plan), run.jobId)
    await row.update({ files: JSON.stringify([...JSON.parse(files), file]) })
    return { done: n + 1, end: undefined, counts }
  })

/**
 * Marks the export as uncertain before its manifest is written. If the job ends before {@link recordManifest}, nobody knows whether
 * a reader has seen the manifest, so the next export will contain everything.
 * @throws Problem like {@link recordFile}.
 */
export const beginManifest = (db: Db, tenant: TenantId, run: JobRun, plan: ExportPlan): Promise<JobProgress> =>
  advance(db, tenant, run, async trx => {
    await lockExport(trx, tenant, plan, run.jobId)
    await trx('form_exports').where({ tenant_id: tenant, export_key: plan.export }).update({ instant: null })
    return undefined
  })

/**
 * Records that the manifest is written, as step `n`. The next increment starts from here.
 * @throws Problem like {@link recordFile}.
 */
export const recordManifest = (
  db: Db,
  tenant: TenantId,
  run: JobRun,
  n: number,
  plan: ExportPlan,
  place: string,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job) => {
    if (job.done !== n) return undefined
    await lockExport(trx, tenant, plan, run.jobId)
    const reached = { instant: new Date(plan.instant), definitions: fingerprintOf(plan.definitions), place }
    await trx('form_exports').where({ tenant_id: tenant, export_key: plan.export }).update(reached)
    return { done: n + 1, end: 'all', counts: {} }
  })

/**
 * Deletes the progress of exports that the manifest no longer has, once their last job is deleted. If such an export is added
 * again, it starts with everything.
 */
export async function forgetExports(db: Db, tenant: TenantId): Promise<void> {
  const { exports = [] } = await formSettings(db, tenant)
  const keys = exports.map(({ key }) => key)
  await transaction(db, tenant, trx =>
    trx('form_exports')
      .where({ tenant_id: tenant })
      .whereNotIn('export_key', keys)
      .whereNotExists(
        trx('form_export_jobs as j')
          .whereRaw('j.tenant_id = form_exports.tenant_id AND j.job_id = form_exports.job_id')
          .select(trx.raw('1')),
      )
      .delete(),
  )
}

/**
 * Locks an export for a step of its job.
 * @throws Problem 409 if a later job has started: the increments of two concurrent jobs would not fit together.
 */
async function lockExport(trx: Knex.Transaction, tenant: TenantId, plan: ExportPlan, jobId: string): Promise<void> {
  const one = { tenant_id: tenant, export_key: plan.export }
  const row: Last | undefined = await trx('form_exports').where(one).forUpdate().first('job_id')
  if (row?.job_id !== jobId) throw conflict('export-superseded', `A later export of '${plan.export}' has started.`)
}
