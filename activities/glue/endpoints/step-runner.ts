// Runs the steps of endpoints for activities, and starts a run's first steps early in the caller's process.
import { ApplicationFailure } from '@temporalio/common'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import type { TenantId } from '../../../db/connect.js'
import { asProblem } from '../../../db/errors.js'
import type { GlueReader, OpenedGlue } from '../../../db/glue/endpoints/settings.js'
import { markQueueUsed } from '../../../db/glue/providers/provider-queues.js'
import type { Log } from '../../../runtime/observe/log.js'
import { Problem } from '../../../runtime/problems/problem.js'
import type { Outcomes } from '../../../runtime/temporal/outcomes.js'
import { temporalNow } from '../../../runtime/temporal/temporal-clock.js'
import {
  attempts,
  type EndpointOutcome,
  type EndpointRun,
  type EndpointSteps,
  type RunProblem,
  runBudgetMs,
  type StepsDone,
  type TokenCheck,
} from '../../../workflows/glue/contracts.js'
import { pauseAfter } from '../../../workflows/jobs/contracts.js'
import { notRepeated } from '../../providers/provider-failed.js'
import { afterToken, FailedAfterCall, type RunSteps, StepCallFailed } from './run-steps.js'
import { providerFailed, tries } from './step-problems.js'

export interface StepRunnerDependencies {
  db: Knex
  log: Log
  glue: GlueReader
  runSteps: RunSteps
  /**
   * Validates the user's token again with all methods of the endpoint that are for users.
   * @throws Problem 401
   */
  recheck: (
    userToken: string,
    run: Pick<EndpointRun, 'tenantKey' | 'endpointKey'> & { tenantId: TenantId },
    glue: OpenedGlue,
  ) => Promise<void>
  /** The outcomes of runs that this process has finished, by workflow id. */
  outcomes: Outcomes<EndpointOutcome>
}

/** Which attempt of which run an activity is. */
export interface Attempt {
  workflowId: string
  attempt: number
  /** Aborted when the run is cancelled. */
  signal?: AbortSignal
}

/** Runs the steps of endpoints, a few per activity. */
export interface StepRunner {
  /**
   * Starts a run's first activity at once in this process, some 10 ms before Temporal schedules it; the activity then
   * returns this result. If this process dies before that, another process runs the steps again.
   */
  startEarly(workflowId: string, input: EndpointSteps): void
  /**
   * Runs the next steps, which make at most one call of a provider.
   * @throws ApplicationFailure
   */
  run(input: EndpointSteps, attempt: Attempt): Promise<StepsDone>
  /**
   * Validates the user's token again before later steps use it.
   * @throws ApplicationFailure
   */
  validate(input: TokenCheck, attempt: Attempt): Promise<void>
}

/** How long, in ms, a user's token counts as valid after the server has checked it. */
const freshMs = 5_000
/** After how many attempts an unexpected error ends the run. */
const unforeseenAttempts = 3

export function createStepRunner(dependencies: StepRunnerDependencies): StepRunner {
  const begun = new Map<string, Promise<StepsDone>>()

  async function attemptSteps(input: EndpointSteps, attempt: Attempt): Promise<StepsDone> {
    const done = await untilDeadline(input.run, input.deadline, attempt, signal =>
      stepsOf(dependencies, input, attempt.attempt, signal),
    )
    if ('answer' in done) dependencies.outcomes.publish(attempt.workflowId, done)
    return done
  }

  /**
   * Does work until the run's deadline. An error that is not retried is published as the outcome of the run.
   * @throws ApplicationFailure
   */
  async function untilDeadline<T>(
    { tenantKey, endpointKey, traceId }: Pick<EndpointRun, 'tenantKey' | 'endpointKey' | 'traceId'>,
    deadline: number,
    { workflowId, attempt, signal }: Attempt,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const end = (outcome: EndpointOutcome) => dependencies.outcomes.publish(workflowId, outcome)
    const timeIsOver = AbortSignal.timeout(Math.max(0, deadline - temporalNow()))
    try {
      return await work(signal ? AbortSignal.any([signal, timeIsOver]) : timeIsOver)
    } catch (error) {
      if (signal?.aborted) throw error
      const { problem, retryAfterMs, retry } = asRunProblem(
        error,
        { deadline },
        { attempt, isOver: timeIsOver.aborted },
      )
      dependencies.log.warn(
        { tenantKey, endpointKey, traceId, attempt, retry, err: error },
        'the steps of an endpoint failed',
      )
      if (!retry) end({ problem })
      throw ApplicationFailure.create({
        type: problem.code,
        message: problem.detail,
        nonRetryable: !retry,
        details: [problem],
        // Temporal reads a delay of 0 as "never retry".
        ...(retryAfterMs ? { nextRetryDelay: retryAfterMs } : {}),
      })
    }
  }

  return {
    startEarly(workflowId, input) {
      const first = attemptSteps(input, { workflowId, attempt: 1 })
      first.catch(() => undefined)
      begun.set(workflowId, first)
      // If the workflow's activity runs in another process, nobody asks for the result here.
      setTimeout(() => begun.delete(workflowId), runBudgetMs).unref()
    },
    run(input, attempt) {
      const first = begun.get(attempt.workflowId)
      // A result is used once: when the activity is retried, the steps must run again.
      begun.delete(attempt.workflowId)
      return first ?? attemptSteps(input, attempt)
    },
    validate: (input, attempt) =>
      untilDeadline(input, input.deadline, attempt, async () => {
        const { tenantKey, endpointKey } = input
        const tenantId = await tenantIdOf(dependencies.db, tenantKey)
        const opened = await dependencies.glue(tenantId)
        await dependencies.recheck(input.userToken, { tenantId, tenantKey, endpointKey }, opened)
      }),
  }
}

async function stepsOf(
  { db, glue, runSteps, recheck }: StepRunnerDependencies,
  { run, state, deadline }: EndpointSteps,
  attempt: number,
  signal: AbortSignal,
): Promise<StepsDone> {
  const tenantId = await tenantIdOf(db, run.tenantKey)
  const opened = await glue(tenantId)
  const isFresh = state.next === 0 && temporalNow() < deadline - runBudgetMs + freshMs
  const { tenantKey, endpointKey } = run
  const again = isFresh
    ? undefined
    : (userToken: string) => recheck(userToken, { tenantId, tenantKey, endpointKey }, opened)
  const later = isFresh ? undefined : afterToken(opened, run, state, attempt)
  const done = later ?? (await runSteps(opened, { ...run, tenantId, recheck: again }, state, 'request', signal))
  if ('queue' in done && done.queue !== undefined) await markQueueUsed(db, done.queue)
  return done
}

const outOfTime = (step: string, attempt: number) =>
  new Problem(
    'provider-timeout',
    `The run had ${runBudgetMs / 1000} s, and the step '${step}' had no answer by then (attempt ${attempt}). ` +
      'It is not known whether this call was carried out.',
  )

interface Judged {
  problem: RunProblem
  retry: boolean
  retryAfterMs?: number | undefined
}

/**
 * Turns an error into the problem that the caller sees, and decides whether to retry. Only texts that the caller may
 * read are passed to Temporal.
 */
function asRunProblem(
  error: unknown,
  { deadline }: Pick<EndpointSteps, 'deadline'>,
  { attempt, isOver }: { attempt: number; isOver: boolean },
): Judged {
  if (error instanceof FailedAfterCall) {
    return { ...asRunProblem(error.cause, { deadline }, { attempt, isOver }), retry: false }
  }
  if (error instanceof StepCallFailed) {
    const { step, message, retryable, retryAfterMs = 0 } = error
    if (isOver) return { problem: outOfTime(step, attempt).toJSON(), retry: false }
    // If the next attempt would come too late, the caller is told at once, and when to try again.
    const retry = retryable && temporalNow() + (retryAfterMs || pauseAfter(attempt, attempts)) < deadline
    const headers = retryAfterMs === 0 ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
    const triesText = tries({ attempt, spentMs: temporalNow() - (deadline - runBudgetMs), givenMs: runBudgetMs })
    const problem = providerFailed(step, message).toJSON()
    const detail = problem.detail + triesText + notRepeated(error)
    return { problem: { ...problem, detail, headers }, retry, retryAfterMs: error.retryAfterMs }
  }
  const problem = asProblem(error)
  if (problem instanceof Problem) return { problem: problem.toJSON(), retry: problem.status === 503 }
  return { problem: unforeseen.toJSON(), retry: attempt < unforeseenAttempts }
}

const unforeseen = new Problem('internal', 'Something unforeseen happened. Please report the trace id.')
