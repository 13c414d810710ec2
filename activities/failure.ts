// Turns errors of activities into Temporal failures: retryable for outages, final for problems.
import { activityInfo } from '@temporalio/activity'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { asProblem } from '../db/errors.js'
import { Problem } from '../runtime/problems/problem.js'

/** Attempts after which an error that nobody foresaw ends the job instead of being tried again. */
const unforeseenAttempts = 10

/**
 * Turns an activity's error into a Temporal failure. An outage is retried for as long as it lasts; a broken rule or a
 * lasting unforeseen error is final. Only the problem's code crosses to Temporal: its texts may name people.
 * @returns `final` is the problem to keep with the job, where a retry is useless.
 */
export function asFailure(error: unknown): { failure: Error; final?: Problem } {
  if (error instanceof CancelledFailure) return { failure: error }
  const problem = asProblem(error)
  if (problem instanceof Problem) {
    const failure = ApplicationFailure.create({
      type: problem.code,
      message: problem.title,
      nonRetryable: !isPassing(problem),
      // A provider may say when to come again.
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

/** A cause outside the run: an outage, or too many writes of the tenant. */
const isPassing = ({ status }: Problem): boolean => status === 503 || status === 429

// A delay of 0 would mean to Temporal: never again.
const retryAfter = ({ headers }: Problem) => {
  const seconds = Number(headers['Retry-After'] ?? 0)
  return seconds > 0 ? { nextRetryDelay: seconds * 1000 } : {}
}

const internal = (cause: unknown) =>
  new Problem('internal', 'The job was given up; the log has the cause.', [], {}, { cause })
