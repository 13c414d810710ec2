import type { Knex } from 'knex'
import { forgetJobs, unstartedJobs } from '../../db/jobs/jobs.js'
import type { Log } from '../../runtime/log.js'
import type { Jobs } from './start.js'

const everyMs = 2_000
/** Older than a start may take (5 s), so that a start under way is left alone. */
const olderThanMs = 7_000

interface SweepOptions {
  db: Knex
  jobs: Jobs
  log: Log
  /** How long a job that has ended is kept, in ms. */
  retentionMs: number
}

/**
 * Forgets jobs whose time is over, and starts jobs that were accepted and never handed to Temporal, because the process died in between or Temporal was away
 * at a retry. Several processes may sweep at once: they join the same run.
 */
export function sweep({ db, jobs, log, retentionMs }: SweepOptions): { stop(): void } {
  let timer: NodeJS.Timeout
  const next = () => {
    timer = setTimeout(async () => {
      try {
        for (const job of await unstartedJobs(db, olderThanMs)) {
          await jobs.start(job, job.tenant_key)
          log.info({ jobId: job.id, kind: job.kind, traceId: job.trace_id }, 'started a job that was only accepted')
        }
        const forgotten = await forgetJobs(db, retentionMs)
        if (forgotten > 0) log.info({ forgotten }, 'jobs forgotten')
      } catch (err) {
        log.warn({ err }, 'sweeping stopped for now')
      }
      next()
    }, everyMs).unref()
  }
  next()
  return { stop: () => clearTimeout(timer) }
}
