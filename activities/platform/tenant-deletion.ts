// The activity that deletes a tenant.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type DeletedPart,
  deleteNext,
  deletionOf,
  type Outside,
  type OutsidePart,
  type TenantRef,
  tablesToDelete,
} from '../../db/admin/tenant-deletion.js'
import { advance } from '../../db/jobs/advance.js'
import { isOpen } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import type { ExportTargets } from '../../db/storage/export-targets.js'
import type { Storages } from '../../db/storage/storage.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'
import { removeSchedulesOf } from './manifest-schedules.js'
import { deleteRunsOf } from './runs.js'

interface DeletionDependencies extends StepDependencies {
  storages: Storages
  targets: ExportTargets
}

/** Pause after runs were deleted, which Temporal lists a little longer, in ms. */
const deletedRunsPauseMs = 500

/** Creates the activity of deletions. */
export const tenantDeletionActivities = (dependencies: DeletionDependencies) => ({
  /** Deletes the job's tenant, part by part, and returns its progress. Safe to repeat at any point. */
  tenantDeletion: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (owner, run) => {
      const { db } = dependencies
      const tables = await tablesToDelete(db)
      return {
        async next() {
          const job = await jobStore(db, owner).byId(input.jobId)
          // It was cancelled or completed by an earlier activity.
          if (!job || !isOpen(job)) return advance(db, owner, run, async () => undefined)
          return deleteNext(db, owner, run, job, tables, outsideOf(dependencies, deletionOf(job)))
        },
      }
    }),
})

/** Creates what deletes a tenant outside of the database. */
function outsideOf({ storages, targets, temporal }: DeletionDependencies, { tenantId, tenantKey }: TenantRef): Outside {
  const parts: Record<OutsidePart, () => Promise<DeletedPart>> = {
    async schedules() {
      return { deleted: await removeSchedulesOf(temporal().call, tenantKey), isMore: false }
    },
    async runs() {
      const deleted = await deleteRunsOf(temporal(), tenantKey)
      if (deleted > 0) await sleep(deletedRunsPauseMs)
      return { deleted: 0, isMore: deleted > 0 }
    },
    async exports() {
      for (const target of Object.values(targets)) await target?.removeAll(tenantKey)
      return { deleted: 0, isMore: false }
    },
  }
  return {
    async removeFiles(files) {
      for (const { id, kind, storage } of files) await storages.of(storage).remove({ tenantId, fileId: id, kind })
    },
    remove: part => parts[part](),
  }
}
