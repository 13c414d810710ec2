// Turns errors of activities into Temporal failures: retryable for outages, final for other problems.
import { activityInfo } from '@temporalio/activity'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { asProblem } from '../db/errors.js'
import { Problem } from '../runtime/problems/problem.js'

/** After this many attempts, an unforeseen error fails the job instead of being retried. */
const unforeseenAttempts = 10

/**
 * Turns an activity's error into a Temporal failure. An outage is retried for as long as it lasts. A broken rule is
 * final, and so is an unforeseen error that persists. Temporal gets only the code and title of a problem, because its
 * other texts may name people.
 * @returns the failure to throw, and in `final` the problem to store with the job if a retry would be useless.
 */
export function asFailure(error: unknown): { failure: Error; final?: Problem } {
  if (error instanceof CancelledFailure) return { failure: error }
  const problem = asProblem(error)
  if (problem instanceof Problem) {
    const failure = ApplicationFailure.create({
      type: problem.code,
      message: problem.title,
      nonRetryable: !isPassing(problem),
      // A provider may say when to try again.
      ...(problem.code === 'provider-away' ? retryAfter(problem) : {}),
    })
    return isPassing(problem) ? { failure } : { failure, final: problem }
  }
  const final = activityInfo().attempt >= unforeseenAttempts
  const failure = ApplicationFailure.create({
    type: 'internal',
    message: 'An unforeseen error; the log has it',
    nonRetryable: final,
  })
  return final ? { failure, final: internal(error) } : { failure }
}

/** Tells whether a retry may help, since the cause is an outage or too many writes of the tenant. */
const isPassing = ({ status }: Problem): boolean => status === 503 || status === 429

// Temporal takes a delay of 0 to mean that there is to be no retry.
const retryAfter = ({ headers }: Problem) => {
  const seconds = Number(headers['Retry-After'] ?? 0)
  return seconds > 0 ? { nextRetryDelay: seconds * 1000 } : {}
}

const internal = (cause: unknown) =>
  new Problem('internal', 'The job was given up; the log has the cause.', [], {}, { cause })
