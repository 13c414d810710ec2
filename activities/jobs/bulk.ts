// The activity that writes bulks of structural entities.
import { writeEntityChunk } from '../../db/frame/hierarchy/entity-chunks.js'
import type { PlannedEntity } from '../../db/frame/hierarchy/structural-entity-plan.js'
import { readChunk } from '../../db/jobs/chunks.js'
import { prefetched } from '../../runtime/load/prefetched.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import { doSteps, type StepDependencies } from './do-steps.js'

interface BulkDependencies extends StepDependencies {
  grants: Grants
  /** The setting HIERARCHY_MAX_DEPTH. */
  maxDepth: number
}

/** Creates the activity of bulk jobs. */
export const bulkActivities = (dependencies: BulkDependencies) => ({
  /**
   * Writes the next chunks of a job, and reads each one ahead while the one before is written. Safe to repeat at any
   * point.
   */
  structuralEntityBulkUpsert: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (tenant, run, job) => {
      const { db, grants, maxDepth } = dependencies
      const { tenantKey, jobId } = input
      const { total = 0, actor = '' } = job ?? {}
      const chunks = prefetched((first: number) => readChunk<PlannedEntity>(db, tenant, jobId, first))
      let place = job?.done ?? 0
      return {
        async next(isLast) {
          const chunk = await chunks.at(place)
          const end = place + chunk.items.length
          // If the chunk has to be planned again, the caller's present permissions count, not those at the time of
          // acceptance.
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
