// Cancels and retries jobs: one, or many of a tenant in one transaction.
import type { Knex } from 'knex'
import { cancelRun, isRunClosed, type Run } from '../../activities/jobs/start-run.js'
import { isOpen, type JobRow, type JobStatus, openStatuses } from '../../db/jobs/job-row.js'
import { type ChangedJob, jobStore } from '../../db/jobs/jobs.js'
import type { TenantJob } from '../../db/jobs/jobs-across-tenants.js'
import { jobEnded } from '../../db/jobs/jobs-ended.js'
import { slices } from '../../db/rows.js'
import type { Log } from '../../runtime/observe/log.js'
import type { JobRequest } from './accept.js'
import type { WaitOptions } from './wait.js'

/** How many runs of cancelled jobs are cancelled at the same time. */
const cancelledAtOnce = 25

/** What is needed of a job to cancel it. */
type OwnedJob = Pick<TenantJob, 'id' | 'kind' | 'status' | 'workflow_id' | 'tenant_id'>

interface Options extends Pick<WaitOptions, 'temporal' | 'jobEnds'> {
  db: Knex
  start(job: Run, tenantKey: string): Promise<unknown>
}

/** Creates the functions that cancel and retry jobs. */
export function cancelAndRetry({ db, temporal, jobEnds, start }: Options) {
  /**
   * Cancels jobs of one tenant, in one transaction, unless their status is another one by then. From then on no step of
   * them is written. Failed jobs are only given up.
   * @returns the jobs that exist.
   */
  async function cancelTogether(listed: readonly OwnedJob[], statuses: readonly JobStatus[]): Promise<ChangedJob[]> {
    const [tenant] = listed.map(({ tenant_id }) => tenant_id)
    if (tenant === undefined) return []
    const seen = new Map(listed.map(job => [job.id, job]))
    const jobs = await jobStore(db, tenant).cancelAll([...seen.keys()], statuses)
    for (const { id, isChanged } of jobs) {
      const job = seen.get(id)
      if (!job || !isChanged || !isOpen(job)) continue
      jobEnded(job.kind, 'Cancelled')
      jobEnds.publish(id, true)
    }
    return jobs
  }

  /** Cancels the runs of jobs that were open, without waiting. While Temporal is away, the outbox does so later. */
  function cancelRuns(jobs: readonly OwnedJob[], log: Log): void {
    const cancelled = jobs.filter(isOpen)
    const tell = async () => {
      for (const some of slices(cancelled, cancelledAtOnce))
        await Promise.all(some.map(job => cancelRun(db, temporal(), job, job.tenant_id)))
    }
    const jobIds = cancelled.slice(0, 10).map(({ id }) => id)
    tell().catch(err => log.warn({ err, jobIds }, 'runs of cancelled jobs are not cancelled yet'))
  }

  return {
    /**
     * Cancels a job, unless it has ended meanwhile. From then on no step of it is written. Temporal is told to cancel
     * the run, without waiting for it; while it is away, the outbox tells it later. A failed job is only given up.
     */
    async cancel({ caller, log }: JobRequest, job: JobRow): Promise<void> {
      const one = { ...job, tenant_id: caller.tenantId }
      const [cancelled] = await cancelTogether([one], isOpen(job) ? openStatuses : [job.status])
      if (cancelled?.isChanged) cancelRuns([one], log)
    },

    cancelTogether,
    cancelRuns,

    /**
     * Accepts stopped jobs of one tenant again, in one transaction, and starts them. Those whose status is another one by
     * then, or whose last run is still closing, are left as they are, and the outbox starts later what cannot be started now.
     * @returns the jobs that exist. @throws Problem 503 while Temporal is away, with nothing changed.
     */
    async retryTogether(
      stopped: readonly TenantJob[],
      statuses: readonly JobStatus[],
      log: Log,
    ): Promise<ChangedJob[]> {
      const isReady = await Promise.all(stopped.map(job => isRunClosed(temporal(), job)))
      const closing = stopped.filter((_, n) => !isReady[n])
      const ready = new Map(stopped.filter((_, n) => isReady[n]).map(job => [job.id, job]))
      const [tenant] = stopped.map(({ tenant_id }) => tenant_id)
      if (tenant === undefined) return []
      const reopened = await jobStore(db, tenant).reopenAll([...ready.keys()], statuses)
      await Promise.all(
        reopened.map(async ({ id, isChanged }) => {
          const job = ready.get(id)
          if (!job || !isChanged) return
          await start({ ...job, attempt: job.attempt + 1 }, job.tenant_key).catch(err =>
            log.warn({ err, jobId: id }, 'retry not started yet'),
          )
        }),
      )
      return [...reopened, ...closing.map(({ id, status }) => ({ id, status, isChanged: false }))]
    },
  }
}
