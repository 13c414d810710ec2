// Jobs of scheduled exports: acceptance, plan and written files.
import { hash } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import { conflict } from '../../../runtime/problem.js'
import { type JobProgress, queues, workflowIdOf } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { advance, type Counts, type JobRun } from '../../jobs/advance.js'
import { createJob } from '../../jobs/create.js'
import { isOpenFor } from '../../jobs/jobs.js'
import { upsertRows } from '../../rows.js'
import { definitionOf, type ExtractDefinition } from '../extracts/extracts.js'
import { takeInstant } from '../instances/form-clock.js'
import { type FormExport, formSettings } from '../templates/settings.js'

/** Why an export has everything although increments are asked for. */
export type FullBecause = 'first-export' | 'definitions-changed' | 'destination-changed' | 'interrupted'

/** The content of an export, which is decided at its acceptance and never changes. */
export interface ExportPlan {
  export: string
  mode: FormExport['mode']
  fullBecause?: FullBecause | undefined
  /** ISO 8601, as what counted then. */
  instant: string
  /** Of an increment: the instant of the export that it goes on from. */
  from?: string | undefined
  destination: FormExport['destination']
  /** The place that the destination was; undefined where it was none. */
  place?: string | undefined
  /** In that place. */
  folder: string
  definitions: ExtractDefinition[]
}

/** A file that is written. */
export interface ExportFile {
  name: string
  /** Its lines. */
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
 * Accepts an export whose time has come, unless one of the same key is under way.
 * @param place name of where it goes; undefined where the installation has no such destination.
 * @returns its job, or the one that is under way.
 */
export async function acceptExport(
  trx: Knex.Transaction,
  tenant: { id: TenantId; key: string },
  wanted: FormExport,
  { actor, place }: { actor: string; place: string | undefined },
): Promise<string> {
  const one = { tenant_id: tenant.id, export_key: wanted.key }
  // First the job, then the export: in the order in which the job's steps take them.
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
    traceId: newId(),
    workflowId: workflowIdOf('formExport', { tenantKey: tenant.key, jobId }),
    // A file for each definition, one for what is removed, and the manifest.
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

/** The interval of an increment, or the reason why an export has everything. */
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

/** Tells whether definitions are others. */
const fingerprintOf = (definitions: readonly ExtractDefinition[]): string =>
  hash('sha256', JSON.stringify(definitions), 'hex')

/** The plan of an export's job, and the files that it has written; undefined after its retention. */
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

/** Notes a file that is written, as step `n` of the job. @throws Problem as `advance`; 409 where a later export has begun. */
export const noteFile = (
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
    await hold(trx, tenant, JSON.parse(plan), run.jobId)
    await row.update({ files: JSON.stringify([...JSON.parse(files), file]) })
    return { done: n + 1, end: undefined, counts }
  })

/**
 * Before the manifest is written: from here until it is noted that it was, nobody knows whether somebody has seen it. Where the
 * job is given up in between, the next export has everything.
 * @throws Problem as {@link noteFile}.
 */
export const beginManifest = (db: Db, tenant: TenantId, run: JobRun, plan: ExportPlan): Promise<JobProgress> =>
  advance(db, tenant, run, async trx => {
    await hold(trx, tenant, plan, run.jobId)
    await trx('form_exports').where({ tenant_id: tenant, export_key: plan.export }).update({ instant: null })
    return undefined
  })

/** Notes that all is written, as step `n`: the next increment goes on from here. @throws Problem as {@link noteFile}. */
export const noteManifest = (
  db: Db,
  tenant: TenantId,
  run: JobRun,
  n: number,
  plan: ExportPlan,
  place: string,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job) => {
    if (job.done !== n) return undefined
    await hold(trx, tenant, plan, run.jobId)
    const reached = { instant: new Date(plan.instant), definitions: fingerprintOf(plan.definitions), place }
    await trx('form_exports').where({ tenant_id: tenant, export_key: plan.export }).update(reached)
    return { done: n + 1, end: 'all', counts: {} }
  })

/** Forgets how far exports are that the manifest has no more, once their last job is forgotten. If such an export comes back, it begins with everything. */
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

/** Only the latest job of an export goes on: increments of two would not fit together. */
async function hold(trx: Knex.Transaction, tenant: TenantId, plan: ExportPlan, jobId: string): Promise<void> {
  const one = { tenant_id: tenant, export_key: plan.export }
  const row: Last | undefined = await trx('form_exports').where(one).forUpdate().first('job_id')
  if (row?.job_id !== jobId) throw conflict('export-superseded', `A later export of '${plan.export}' has begun.`)
}
