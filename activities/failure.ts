// Turns errors of activities into Temporal failures: retryable for outages, final for other problems.
import { activityInfo } from '@temporalio/activity'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { asProblem } from '../db/errors.js'
import { Problem } from '../runtime/problems/problem.js'
import { pauseAfter, stepRetry } from '../workflows/jobs/contracts.js'

/** After this many attempts, an unforeseen error fails the job instead of being retried. */
const unforeseenAttempts = 10

/**
 * Turns an activity's error into a Temporal failure. An outage is retried for as long as it lasts. A broken rule is
 * final, and so is an unforeseen error that persists. Temporal gets only the code and title of a problem, because its
 * other texts may name people.
 * @returns the failure to throw. If a retry would be useless, `final` is the problem to store with the job; otherwise
 * `retry` says why there is one, and in how many ms.
 */
export function asFailure(error: unknown): {
  failure: Error
  final?: Problem
  retry?: { reason: string; afterMs: number }
} {
  if (error instanceof CancelledFailure) return { failure: error }
  const problem = asProblem(error)
  const pauseMs = pauseAfter(activityInfo().attempt, stepRetry)
  if (problem instanceof Problem) {
    // A provider may say when to try again.
    const askedMs = problem.code === 'provider-away' ? Number(problem.headers['Retry-After'] ?? 0) * 1000 : 0
    const failure = ApplicationFailure.create({
      type: problem.code,
      message: problem.title,
      nonRetryable: !isPassing(problem),
      // Temporal takes a delay of 0 to mean that there is to be no retry.
      ...(askedMs > 0 ? { nextRetryDelay: askedMs } : {}),
    })
    if (!isPassing(problem)) return { failure, final: problem }
    return { failure, retry: { reason: problem.message, afterMs: askedMs || pauseMs } }
  }
  const final = activityInfo().attempt >= unforeseenAttempts
  const message = 'An unforeseen error; the log has it'
  const failure = ApplicationFailure.create({ type: 'internal', message, nonRetryable: final })
  return final ? { failure, final: internal(error) } : { failure, retry: { reason: `${message}.`, afterMs: pauseMs } }
}

/** Tells whether a retry may help, since the cause is an outage or too many writes of the tenant. */
const isPassing = ({ status }: Problem): boolean => status === 503 || status === 429

const internal = (cause: unknown) =>
  new Problem('internal', 'The job was given up; the log has the cause.', [], {}, { cause })
