// The activities of bulk upserts, small and large.
import { ApplicationFailure } from '@temporalio/common'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { TenantId } from '../../db/connect.js'
import { beginEntityChunk, mayBeginBeside, writeEntityChunk } from '../../db/frame/hierarchy/entity-chunks.js'
import { stepInTurn } from '../../db/jobs/advance.js'
import { type Chunk, readChunk } from '../../db/jobs/chunks.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { prefetched } from '../../runtime/prefetched.js'
import type { SmallBulks } from '../../runtime/small-bulks.js'
import type { JobProgress, JobRef, StepsInput } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import { asFailure } from '../failure.js'
import type { StepDependencies } from './do-steps.js'
import { type Course, doCourses, stepsAhead } from './steps-ahead.js'

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
    doCourses(dependencies, input, tenant => chunkCourse(dependencies, input, tenant)),

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

/** The chunks of a job from its place on, two at a time as long as the hierarchy is as planned. */
async function chunkCourse(
  { db, grants, maxDepth }: BulkDependencies,
  { tenantKey, jobId }: JobRef,
  tenant: TenantId,
): Promise<Course> {
  const job = await jobStore(db, tenant).byId(jobId)
  const { done = 0, total = 0 } = job ?? {}
  const chunks = prefetched((first: number) => readChunk(db, tenant, jobId, first))
  let place = done
  let before: Chunk | undefined
  let isAsPlanned = false
  return stepsAhead(done, async readOn => {
    const chunk = await chunks.at(place)
    const isBeside = before !== undefined && isAsPlanned && mayBeginBeside(chunk, before)
    before = chunk
    place = chunk.first + chunk.items.length
    const isEnd = place >= total
    if (!isEnd) chunks.begin(place)
    const inTurn = async () => {
      // A permission that was revoked after the job was accepted counts where a chunk has to be planned again.
      const grant = await grants.for(tenantKey, job?.actor ?? '')
      const allows = (permission: string) => grant?.allows(permission) ?? false
      return writeEntityChunk(db, tenant, jobId, chunk, { allows, maxDepth }, () => {
        isAsPlanned = true
        readOn()
      })
    }
    if (isBeside) readOn()
    const step = isBeside ? beginEntityChunk(db, tenant, jobId, chunk) : stepInTurn(inTurn)
    return { step, items: chunk.items.length, isEnd }
  })
}
