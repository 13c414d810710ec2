// The activities of bulk upserts, small and large.
import { ApplicationFailure } from '@temporalio/common'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { writeEntityChunk } from '../../db/frame/hierarchy/entity-chunks.js'
import { readChunk } from '../../db/jobs/chunks.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { prefetched } from '../../runtime/prefetched.js'
import type { SmallBulks } from '../../runtime/small-bulks.js'
import type { JobProgress, JobRef, StepsInput } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import { asFailure } from '../failure.js'
import { doSteps, type StepDependencies } from './do-steps.js'

interface BulkDependencies extends StepDependencies {
  grants: Grants
  /** HIERARCHY_MAX_DEPTH. */
  maxDepth: number
  smallBulks: SmallBulks
}

/** Nothing is written, and its caller has the answer. */
function refused(error: unknown): never {
  const { failure } = asFailure(error)
  const type = failure instanceof ApplicationFailure ? failure.type : undefined
  throw ApplicationFailure.create({ message: failure.message, type: type ?? 'refused', nonRetryable: true })
}

/** Activities that carry bulk jobs. */
export const bulkActivities = (dependencies: BulkDependencies) => ({
  /** Writes the job's next chunks, at most `limit`, where any is left, and says how far it is. Safe to run again at any point. */
  applyChunks: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (tenant, run) => {
      const { db, grants, maxDepth } = dependencies
      const { tenantKey, jobId } = input
      const job = await jobStore(db, tenant).byId(jobId)
      const { total = 0, actor = '' } = job ?? {}
      const chunks = prefetched((first: number) => readChunk(db, tenant, jobId, first))
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

  /**
   * Waits for the small bulk of a run: its caller's process began to write it at the start. In another process it looks
   * for the job, and fails retryably while the bulk may still be written.
   */
  async writeSmallBulk({ tenantKey, jobId }: JobRef): Promise<JobProgress> {
    const { db, smallBulks } = dependencies
    const written = smallBulks.take(jobId)
    if (written) return written.catch(refused)
    const job = await jobStore(db, await tenantIdOf(db, tenantKey)).byId(jobId)
    if (job) return { done: job.done, total: job.total, counts: JSON.parse(job.counts) }
    throw ApplicationFailure.retryable('The process of its caller has not written it', 'not-written')
  },
})
