import { applyChunk } from '../../db/jobs/bulk.js'
import { type Chunk, readChunk } from '../../db/jobs/chunks.js'
import { type JobRow, jobStore } from '../../db/jobs/jobs.js'
import type { JobProgress, JobRef } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import { entityChunkWriter } from '../frame/entity-chunks.js'
import { type CarryDependencies, carry } from './carry.js'

interface BulkDependencies extends CarryDependencies {
  grants: Grants
  /** HIERARCHY_MAX_DEPTH. */
  maxDepth: number
}

/** Activities that carry bulk jobs. */
export const bulkActivities = (dependencies: BulkDependencies) => ({
  /** Writes the job's next chunks, at most `limit`, where any is left, and says how far it is. Safe to run again at any point. */
  async applyChunks(input: JobRef & { limit: number }): Promise<JobProgress> {
    const { db, grants, maxDepth } = dependencies
    const { tenantKey, jobId } = input
    let job: JobRow | undefined
    let next: Promise<Chunk> | undefined
    return carry(dependencies, input, async tenant => {
      if (!next) {
        job = await jobStore(db, tenant).byId(jobId)
        // A small bulk was written when it was accepted: all that is left is to note that it has its run.
        if (job?.status === 'Completed') {
          await jobStore(db, tenant).noteRun(jobId)
          return { done: job.done, total: job.total }
        }
        next = readChunk(db, tenant, jobId, job?.done ?? 0)
      }
      const chunk = await next
      const end = chunk.first + chunk.items.length
      // Read while this one is written. Its failure counts when its turn comes.
      next = end < (job?.total ?? 0) ? readChunk(db, tenant, jobId, end) : undefined
      next?.catch(() => undefined)
      // A permission that was revoked after the job was accepted counts where a chunk has to be planned again.
      const grant = await grants.for(tenantKey, job?.actor ?? '')
      const allows = (permission: string) => grant?.allows(permission) ?? false
      const progress = await applyChunk(db, tenant, jobId, chunk, entityChunkWriter(maxDepth), allows)
      if (progress.done !== end) next = undefined
      return progress
    })
  },
})
