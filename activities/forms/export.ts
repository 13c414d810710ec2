// Implements the activities of scheduled form exports.
import { Context } from '@temporalio/activity'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { asAction } from '../../db/audit/action.js'
import type { TenantId } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import { exportStates } from '../../db/forms/exports/export-states.js'
import {
  acceptExport,
  beginManifest,
  type ExportPlan,
  exportOf,
  recordFile,
  recordManifest,
} from '../../db/forms/exports/exports.js'
import { definitionFaults } from '../../db/forms/extracts/definition-faults.js'
import type { ExtractReader, ExtractStores } from '../../db/forms/extracts/extract-results.js'
import { formSettings } from '../../db/forms/settings.js'
import { advance, type JobRun } from '../../db/jobs/advance.js'
import { isOpen } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import type { ExportTarget } from '../../db/storage/export-target.js'
import { type ExportTargets, exportSettings } from '../../db/storage/export-targets.js'
import { newId } from '../../runtime/ids.js'
import { conflict, Problem } from '../../runtime/problems/problem.js'
import type { ScheduledExport } from '../../workflows/forms/contracts.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'
import { schedule, scheduledAction, scheduledJob } from '../jobs/scheduled-job.js'
import { waitIfSuspended } from '../jobs/suspension.js'
import { filesOf, writeLines, writeManifest } from './export-files.js'

interface ExportDependencies extends StepDependencies, ExtractReader {
  targets: ExportTargets
  publicUrl: string
}

/** Creates the activities of exports. */
export const exportActivities = (dependencies: ExportDependencies) => ({
  /** Accepts an export that is due, once the tenant is not suspended. @returns undefined if the manifest no longer has it, or somebody has paused it. */
  async beginExport({ tenantKey, exportKey }: ScheduledExport) {
    const { db, targets, publicUrl } = dependencies
    const tenant = { id: await tenantIdOf(db, tenantKey), key: tenantKey }
    await waitIfSuspended(db, tenantKey)
    const { exports = [] } = await formSettings(db, tenant.id)
    const wanted = exports.find(({ key }) => key === exportKey)
    if (!wanted || (await exportStates(db, tenant.id).isPaused(exportKey))) return undefined
    const origin = { actor: schedule, place: targets[wanted.destination]?.name, traceId: newId() }
    const action = {
      ...scheduledAction,
      action: 'beginExport',
      kind: 'export',
      ids: [exportKey],
      traceId: origin.traceId,
    }
    const jobId = await asAction(action, () =>
      transaction(db, tenant.id, trx => acceptExport(trx, tenant, wanted, origin)),
    )
    return scheduledJob(db, tenant.id, tenantKey, jobId, publicUrl)
  },

  /** Writes at most `limit` further files of an export, the manifest last. Can be repeated at any point. */
  async formExport(input: StepsInput): Promise<JobProgress> {
    const { cancellationSignal } = Context.current()
    return doSteps(dependencies, input, async (tenant, run) => ({
      next: () => writeNext(dependencies, tenant, run, cancellationSignal),
    }))
  },
})

async function writeNext(
  dependencies: ExportDependencies,
  tenant: TenantId,
  run: JobRun,
  signal: AbortSignal,
): Promise<JobProgress> {
  const { db, targets } = dependencies
  const { jobId } = run
  const job = await jobStore(db, tenant).byId(jobId)
  // For a job that has ended, `advance` returns or throws what it does for every kind of job.
  if (!job || !isOpen(job)) return advance(db, tenant, run, async () => undefined)
  const found = await exportOf(db, tenant, jobId)
  if (!found) throw new Error(`The job ${jobId} has no export`)
  const { done } = job
  const { plan, files } = found
  const target = targetOf(targets, plan)
  if (done === 0) await requirePublished(dependencies, tenant, plan)
  const file = filesOf(plan)[done]
  if (file) {
    const written = await writeLines(target, plan.folder, file.name, file.lines(dependencies, tenant), signal)
    return recordFile(db, tenant, run, done, written, { [file.counted]: written.results, files: 1 })
  }
  const progress = await beginManifest(db, tenant, run, plan)
  if (progress.state === 'ended') return progress
  await writeManifest(target, plan, files)
  return recordManifest(db, tenant, run, done, plan, target.name)
}

/**
 * Returns the destination.
 * @throws Problem 500 if these workers have none, or another one than when the export was accepted.
 */
function targetOf(targets: ExportTargets, { destination, place: begunAt }: ExportPlan): ExportTarget {
  const target = targets[destination]
  const setting = exportSettings[destination]
  if (!target) throw notSetUp(`The workers have no ${setting}. Set it and restart them; ${goesOn}`)
  if (begunAt !== undefined && target.name !== begunAt) {
    throw notSetUp(`${setting} has changed since the export began. Set it back and ${goesOn}`)
  }
  return target
}

const goesOn = 'then retry the job, or wait for the next export.'

const notSetUp = (why: string) => new Problem('export-not-set-up', why)

/** Requires that all definitions are published. @throws Problem 409 with every fault. */
async function requirePublished(stores: ExtractStores, tenant: TenantId, { definitions }: ExportPlan): Promise<void> {
  const faults = await definitionFaults(stores, tenant, definitions, '/definitions')
  if (faults.length === 0) return
  const detail = `Publish what is missing and retry the job, or correct the definitions in the manifest for the next export.`
  throw conflict('export-not-published', detail, faults)
}
