// Answers requests whose work is a job.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { isOutage } from '../../db/errors.js'
import { isOpen, type JobRow, type StoredProblem } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { Problem, unavailable } from '../../runtime/problems/problem.js'
import { temporalTimeoutMs } from '../../runtime/temporal/calls.js'
import { addressOf, counted } from '../../workflows/jobs/contracts.js'
import { type Answer, accepted } from '../endpoint.js'
import type { AnyRequest, JobRequest } from './accept.js'
import { type JobLinks, presentJob } from './present.js'
import { type WaitOptions, waitForJob } from './wait.js'

export interface AnswerOptions extends WaitOptions {
  db: Knex
  links: JobLinks
}

/** Reads a job that is known to exist. @throws Error if it has been deleted. */
export async function acceptedJob(db: Knex, { caller }: Pick<JobRequest, 'caller'>, id: string): Promise<JobRow> {
  const job = await jobStore(db, caller.tenantId).byId(id)
  if (!job) throw new Error(`The job ${id} is gone`)
  return job
}

/** Tells whether the caller prefers not to wait for its job: `Prefer: respond-async` (RFC 7240). */
export const prefersAsync = (request: AnyRequest): boolean =>
  /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(request.header('prefer'))

const locationOf = ({ id }: Pick<JobRow, 'id'>) => ({ Location: addressOf(id) })

/** Creates the functions that wait for jobs and answer their callers. */
export function createAnswers(options: AnswerOptions) {
  const { db, links } = options

  /**
   * Answers for a job in its present state: 202 with the job while it is open, and also later if the caller prefers not
   * to wait.
   * @param completed returns the endpoint's own answer for a completed job. The job may have ended early, with less
   *   done than its total.
   * @throws the problem of a failed job; Problem `job-cancelled` for a cancelled one.
   */
  async function answerOf(
    request: AnyRequest,
    job: JobRow,
    completed: (job: JobRow) => Promise<Answer>,
  ): Promise<Answer> {
    if (isOpen(job) || (job.status === 'Completed' && prefersAsync(request))) {
      const answer = accepted(presentJob(job, links))
      if (prefersAsync(request)) answer.headers = { ...answer.headers, 'Preference-Applied': 'respond-async' }
      return answer
    }
    if (job.status === 'Completed') {
      const answer = await completed(job)
      return { ...answer, headers: { ...answer.headers, ...locationOf(job) } }
    }
    if (job.status === 'Cancelled') {
      const detail = `The job was cancelled after ${job.done.toLocaleString('en')} of ${counted(job.kind, job.total)}.`
      throw new Problem('job-cancelled', detail)
    }
    const problem: StoredProblem = JSON.parse(job.problem ?? '{}')
    throw Problem.from({ ...problem, headers: locationOf(job) })
  }

  /**
   * Reads a job again. If the database fails right now, returns the job as it was.
   * @throws Problem 503 if the job was withdrawn.
   */
  async function jobNow({ caller }: AnyRequest, job: JobRow): Promise<JobRow> {
    const read = jobStore(db, caller.tenantId).byId(job.id)
    const now = await read.catch(error => (isOutage(error) ? job : Promise.reject(error)))
    if (!now) throw unavailable('The workflow service', undefined, 'Nothing was changed. ')
    return now
  }

  /**
   * Reads a job after a wait for it.
   * @param isOver whether its run has closed. Otherwise the job may have no run yet, and the request that has accepted it
   *   may still withdraw it, so this first waits until the run has begun or can no longer fail to.
   * @throws Problem 503 if the job was withdrawn.
   */
  async function afterWait(request: AnyRequest, job: JobRow, isOver: boolean): Promise<JobRow> {
    const decidedBy = Date.now() + temporalTimeoutMs + withdrawMs
    for (;;) {
      const now = await jobNow(request, job)
      const isDecided = isOver || now.started_at !== null || !isOpen(now) || Date.now() > decidedBy
      if (isDecided || options.closing.aborted) return now
      await sleep(pollMs)
    }
  }

  return {
    answerOf,

    /**
     * Waits for a job, unless its caller prefers not to, and then answers for it as `answerOf` does.
     * @param request its body is set to undefined, so that the memory can be freed during the wait.
     * @param completed returns the endpoint's own answer once the job is completed, in full or early.
     */
    async waitAndAnswer(
      request: AnyRequest,
      job: JobRow,
      completed: (job: JobRow) => Promise<Answer>,
    ): Promise<Answer> {
      // The body may be large, and the job has stored what it needs of it.
      request.body = undefined
      if (!isOpen(job) || prefersAsync(request)) return answerOf(request, job, completed)
      const isOver = await waitForJob(job, options)
      return answerOf(request, await afterWait(request, job, isOver), completed)
    },

    /**
     * Waits for one part of a job that several requests share, and answers as soon as that part is done. The job may go
     * on with the parts of others.
     * @param done returns the answer once the part is done, and undefined before.
     */
    async waitForPart(request: AnyRequest, job: JobRow, done: () => Promise<Answer | undefined>): Promise<Answer> {
      request.body = undefined
      const completed = async (): Promise<Answer> => {
        const answer = await done()
        if (!answer) throw new Error(`The job ${job.id} is completed without the part that was asked for`)
        return answer
      }
      if (prefersAsync(request)) return answerOf(request, job, completed)
      const until = Date.now() + options.waitTimeoutMs
      for (;;) {
        // Reads the job before the part, so that a job seen as ended has done its part.
        const now = await jobNow(request, job)
        const answer = await done().catch(error => (isOutage(error) ? undefined : Promise.reject(error)))
        if (answer) return { ...answer, headers: { ...answer.headers, ...locationOf(job) } }
        if (!isOpen(now) || Date.now() >= until || options.closing.aborted) return answerOf(request, now, completed)
        await sleep(pollMs)
      }
    },
  }
}

/** The pause between two looks at a job, in ms. */
const pollMs = 100

/** How long the withdrawal of a job that could not be started takes at most, in ms, unless the database is away too. */
const withdrawMs = 1_000
