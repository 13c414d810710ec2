// The activity of bulk upserts.
import { writeEntityChunk } from '../../db/frame/hierarchy/entity-chunks.js'
import type { PlannedEntity } from '../../db/frame/hierarchy/structural-entity-plan.js'
import { readChunk } from '../../db/jobs/chunks.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { prefetched } from '../../runtime/load/prefetched.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import { doSteps, type StepDependencies } from './do-steps.js'

interface BulkDependencies extends StepDependencies {
  grants: Grants
  /** HIERARCHY_MAX_DEPTH. */
  maxDepth: number
}

/** Activities that carry bulk jobs. */
export const bulkActivities = (dependencies: BulkDependencies) => ({
  /** Writes the job's next chunks, at most `limit`, where any is left, and says how far it is. Safe to run again at any point. */
  structuralEntityBulkUpsert: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (tenant, run) => {
      const { db, grants, maxDepth } = dependencies
      const { tenantKey, jobId } = input
      const job = await jobStore(db, tenant).byId(jobId)
      const { total = 0, actor = '' } = job ?? {}
      const chunks = prefetched((first: number) => readChunk<PlannedEntity>(db, tenant, jobId, first))
      let place = job?.done ?? 0
      return {
        async next(isLast) {
          const chunk = await chunks.at(place)
          const end = place + chunk.items.length
          // A permission that was revoked after the job was accepted counts where a chunk has to be planned again.
          const grant = await grants.for(tenantKey, actor)
          const allows = (permission: string) => grant?.allows(permission) ?? false
          const progress = await writeEntityChunk(db, tenant, run, chunk, { allows, maxDepth }, () => {
            if (!isLast && end < total) chunks.begin(end)
          })
          place = progress.done
          return progress
        },
      }
    }),
})
