// The activities of scheduled exports of forms.
import { Context } from '@temporalio/activity'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { TenantId } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import {
  acceptExport,
  beginManifest,
  type ExportPlan,
  exportOf,
  noteFile,
  noteManifest,
} from '../../db/forms/exports/exports.js'
import { definitionFaults } from '../../db/forms/extracts/extract-faults.js'
import type { ExtractReader, ExtractStores } from '../../db/forms/extracts/extract-results.js'
import { formSettings } from '../../db/forms/templates/settings.js'
import { advance, type JobRun } from '../../db/jobs/advance.js'
import { isOpen, jobStore } from '../../db/jobs/jobs.js'
import type { ExportTarget } from '../../db/storage/export-target.js'
import { type ExportTargets, exportSettings } from '../../db/storage/export-targets.js'
import { conflict, Problem } from '../../runtime/problem.js'
import type { ScheduledExport } from '../../workflows/forms/contracts.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'
import { schedule, scheduledJob } from '../jobs/scheduled-job.js'
import { filesOf, writeLines, writeManifest } from './export-files.js'

interface ExportDependencies extends StepDependencies, ExtractReader {
  targets: ExportTargets
}

/** Activities that carry exports. */
export const exportActivities = (dependencies: ExportDependencies) => ({
  /** Accepts an export whose time has come. @returns undefined where the manifest has it no more. */
  async beginExport({ tenantKey, exportKey }: ScheduledExport) {
    const { db, targets } = dependencies
    const tenant = { id: await tenantIdOf(db, tenantKey), key: tenantKey }
    const { exports = [] } = await formSettings(db, tenant.id)
    const wanted = exports.find(({ key }) => key === exportKey)
    if (!wanted) return undefined
    const origin = { actor: schedule, place: targets[wanted.destination]?.name }
    const jobId = await transaction(db, tenant.id, trx => acceptExport(trx, tenant, wanted, origin))
    return scheduledJob(db, tenant.id, tenantKey, jobId)
  },

  /** Writes the next files of an export, at most `limit`, the manifest last. Safe to run again at any point. */
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
  // A job that has ended is answered as every job is.
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
    return noteFile(db, tenant, run, done, written, { [file.counted]: written.results, files: 1 })
  }
  const progress = await beginManifest(db, tenant, run, plan)
  if (progress.state === 'ended') return progress
  await writeManifest(target, plan, files)
  return noteManifest(db, tenant, run, done, plan, target.name)
}

/** @throws Problem 500 where the installation has no such destination, or this process another than that which it began with. */
function targetOf(targets: ExportTargets, { destination, place: begunAt }: ExportPlan): ExportTarget {
  const target = targets[destination]
  const setting = exportSettings[destination]
  if (!target) throw notSetUp(`The workers have no ${setting}. Set it and start them again; ${goesOn}`)
  if (begunAt !== undefined && target.name !== begunAt) {
    throw notSetUp(`${setting} is another than when the export began. Set it as it was and ${goesOn}`)
  }
  return target
}

const goesOn = 'then retry the job, or wait for the next export.'

const notSetUp = (why: string) => new Problem('export-not-set-up', why)

/** @throws Problem 409 with every fault, where a definition names what is not published, or not there. */
async function requirePublished(stores: ExtractStores, tenant: TenantId, { definitions }: ExportPlan): Promise<void> {
  const faults = await definitionFaults(stores, tenant, definitions, '/definitions')
  if (faults.length === 0) return
  const detail = `Publish what is missing and retry the job, or mend the definitions in the manifest: the next export goes by them.`
  throw conflict('export-not-published', detail, faults)
}
