import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { endOtherStep } from '../../db/jobs/advance.js'
import { jobStore } from '../../db/jobs/jobs.js'
import type { Log } from '../../runtime/log.js'
import type { Problem } from '../../runtime/problem.js'
import { type JobProgress, type JobRef, type StepsInput, sliceMs } from '../../workflows/jobs/contracts.js'
import { asFailure } from '../failure.js'
import { withHeartbeat } from '../heartbeat.js'

export interface StepDependencies {
  db: Knex
  log: Log
}

/**
 * Does the next steps of a job until its slot is due back, with a heartbeat beside them, and says how far the job is. When a
 * step fails for good, its problem is kept with the job.
 * @param step does one step; safe to run again at any point. After the last one another activity goes on.
 */
export async function doSteps(
  { db, log }: StepDependencies,
  { tenantKey, jobId, limit = Number.POSITIVE_INFINITY }: StepsInput,
  step: (tenant: number, isLast: boolean) => Promise<JobProgress>,
): Promise<JobProgress> {
  const context = Context.current()
  const until = Date.now() + sliceMs
  let jobAttempt: number | undefined
  return withHeartbeat(async () => {
    try {
      const tenant = await tenantIdOf(db, tenantKey)
      jobAttempt = await jobStore(db, tenant).attemptOf(jobId)
      if (await endOtherStep(db, jobId))
        log.warn({ tenantKey, jobId }, 'a step of the job in another process was ended')
      for (let n = 1; ; n++) {
        const isLast = n >= limit || Date.now() >= until
        const progress = await step(tenant, isLast)
        if (progress.done === progress.total || progress.taskQueue !== undefined || isLast) return progress
        context.cancellationSignal.throwIfAborted()
      }
    } catch (error) {
      if (context.cancellationSignal.aborted) throw await context.cancelled
      const { failure, final } = asFailure(error)
      log.warn({ tenantKey, jobId, attempt: context.info.attempt, final: final?.code, err: error }, 'step not done')
      if (final) await noted(log, jobId, keepProblem(db, { tenantKey, jobId }, jobAttempt, final))
      throw failure
    }
  })
}

/** How jobs of every kind end. */
export const jobActivities = ({ db, log }: StepDependencies) => ({
  /** Notes that a run was cancelled; what its steps did until then stays and is counted in the job. */
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

async function keepProblem(
  db: Knex,
  { tenantKey, jobId }: JobRef,
  attempt: number | undefined,
  problem: Problem,
): Promise<void> {
  const { headers: _, ...stored } = problem.toJSON()
  await jobStore(db, await tenantIdOf(db, tenantKey)).fail(jobId, attempt, stored)
}
