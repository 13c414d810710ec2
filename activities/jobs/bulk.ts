import type { EventEmitter } from 'node:events'
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { applyChunk } from '../../db/jobs/bulk.js'
import { readChunk } from '../../db/jobs/chunks.js'
import { jobStore } from '../../db/jobs/jobs.js'
import type { Log } from '../../runtime/log.js'
import type { Problem } from '../../runtime/problem.js'
import type { JobKind, JobProgress, JobRef } from '../../workflows/jobs/contracts.js'
import type { Grants } from '../auth/grants.js'
import { asFailure } from '../failure.js'
import { bulkWriters } from '../frame/bulk-writers.js'

interface BulkDependencies {
  db: Knex
  log: Log
  grants: Grants
  /** Emits the id of a job that this process has brought to its end. */
  ends: EventEmitter
}

/** Activities that carry bulk jobs. */
export const bulkActivities = ({ db, log, grants, ends }: BulkDependencies) => ({
  /**
   * Writes the job's next chunks, at most `limit`, and says how far the job is. Safe to run again at any point.
   */
  async applyChunks({ tenantKey, jobId, limit }: JobRef & { limit: number }): Promise<JobProgress> {
    const context = Context.current()
    const write = bulkWriters[context.info.workflowType as JobKind]
    try {
      const tenant = await tenantIdOf(db, tenantKey)
      const job = await jobStore(db, tenant).byId(jobId)
      let next = readChunk(db, tenant, jobId, job?.done ?? 0)
      for (let n = 1; ; n++) {
        const chunk = await next
        const end = chunk.first + chunk.items.length
        // Read while this one is written. Its failure counts when its turn comes.
        if (end < (job?.total ?? 0)) next = readChunk(db, tenant, jobId, end)
        next.catch(() => undefined)
        // A permission that was revoked after the job was accepted counts where a chunk has to be planned again.
        const grant = await grants.for(tenantKey, job?.actor ?? '')
        const allows = (permission: string) => grant?.allows(permission) ?? false
        const progress = await applyChunk(db, tenant, jobId, chunk, write, allows)
        context.heartbeat(progress)
        if (progress.done === progress.total) ends.emit(jobId)
        if (progress.done === progress.total || n === limit) return progress
        context.cancellationSignal.throwIfAborted()
        if (progress.done !== end) next = readChunk(db, tenant, jobId, progress.done)
      }
    } catch (error) {
      if (context.cancellationSignal.aborted) throw await context.cancelled
      const { failure, final } = asFailure(error)
      log.warn({ tenantKey, jobId, attempt: context.info.attempt, final: final?.code, err: error }, 'chunk not written')
      if (final) {
        await noted(log, jobId, keepProblem(db, tenantKey, jobId, final))
        ends.emit(jobId)
      }
      throw failure
    }
  },

  /** Notes that a run was cancelled; what its chunks wrote until then stays and is counted in the job. */
  async recordCancelled({ tenantKey, jobId }: JobRef): Promise<void> {
    const cancel = async () => jobStore(db, await tenantIdOf(db, tenantKey)).cancel(jobId)
    await noted(log, jobId, cancel())
  },
})

/**
 * Notes how a job ended, again and again until it stands. A database error quotes its statement, and so people's data: the
 * cause stays in the log and does not cross to Temporal.
 */
async function noted(log: Log, jobId: string, work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (err) {
    log.warn({ jobId, err }, 'the end of the job is not noted yet')
    throw ApplicationFailure.retryable('The end of the job could not be noted; the log has the cause', 'not-noted')
  }
}

async function keepProblem(db: Knex, tenantKey: string, jobId: string, problem: Problem): Promise<void> {
  const { status, code, title, faults, message } = problem
  await jobStore(db, await tenantIdOf(db, tenantKey)).fail(jobId, { status, code, title, faults, detail: message })
}
