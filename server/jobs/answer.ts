// Answers requests whose work is a job.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { isOutage } from '../../db/errors.js'
import { isOpen, type JobRow, jobStore, type StoredProblem } from '../../db/jobs/jobs.js'
import { Problem } from '../../runtime/problems/problem.js'
import { type Answer, accepted } from '../endpoint.js'
import type { AnyRequest, JobRequest } from './accept.js'
import { type JobLinks, presentJob } from './present.js'
import { type WaitOptions, waitForJob } from './wait.js'

export interface AnswerOptions extends WaitOptions {
  db: Knex
  links: JobLinks
}

/** The job of an id, which exists. */
export async function acceptedJob(db: Knex, { caller }: Pick<JobRequest, 'caller'>, id: string): Promise<JobRow> {
  const job = await jobStore(db, caller.tenantId).byId(id)
  if (!job) throw new Error(`The job ${id} is gone`)
  return job
}

/** A caller that does not wait (RFC 7240): `Prefer: respond-async`. */
export const prefersAsync = (request: AnyRequest): boolean =>
  /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(request.header('prefer'))

export const locationOf = ({ id }: Pick<JobRow, 'id'>) => ({ Location: `/api/v1/jobs/${id}` })

/** The answers of jobs: 202 with an open job, the endpoint's own answer of a completed one, the problem of a failed one. */
export function createAnswers(options: AnswerOptions) {
  const { db, links } = options

  /** The answer for a job as it is now. @param completed the answer where it is completed. */
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
      const detail = `${job.done} of ${job.total} were done before.`
      throw new Problem('job-cancelled', detail)
    }
    const problem: StoredProblem = JSON.parse(job.problem ?? '{}')
    throw Problem.from({ ...problem, headers: locationOf(job) })
  }

  return {
    answerOf,

    /** Waits for a job, unless its caller prefers not to, and answers for the job as it is then. */
    async waitAndAnswer(
      request: AnyRequest,
      job: JobRow,
      completed: (job: JobRow) => Promise<Answer>,
    ): Promise<Answer> {
      // It may be large, and the job keeps its input.
      request.body = undefined
      const isOver = isOpen(job) && !prefersAsync(request) && (await waitForJob(job, options))
      // If the database goes away at this moment, the job is still known to be accepted.
      const now = isOver ? await acceptedJob(db, request, job.id).catch(() => job) : job
      return answerOf(request, now, completed)
    },

    /**
     * Waits for the part of a job that a request has asked for. The job may go on for others after that.
     * @param done the answer, once the part is done.
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
        // The job is read first: a part that it did before its end is then found. An outage leaves the accepted job.
        const now = await acceptedJob(db, request, job.id).catch(error =>
          isOutage(error) ? job : Promise.reject(error),
        )
        const answer = await done().catch(error => (isOutage(error) ? undefined : Promise.reject(error)))
        if (answer) return { ...answer, headers: { ...answer.headers, ...locationOf(job) } }
        if (!isOpen(now) || Date.now() >= until || options.closing.aborted) return answerOf(request, now, completed)
        await sleep(pollMs)
      }
    },
  }
}

/** How often a caller that waits for a part of a job looks, in ms. */
const pollMs = 100
