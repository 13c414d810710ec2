// Runs an endpoint's steps in activities, and starts the first one in the caller's process.
import { ApplicationFailure } from '@temporalio/common'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import { asProblem } from '../../../db/errors.js'
import type { GlueReader, OpenedGlue } from '../../../db/glue/endpoints/settings.js'
import { markQueueUsed } from '../../../db/glue/providers/provider-queues.js'
import type { Log } from '../../../runtime/log.js'
import type { Outcomes } from '../../../runtime/outcomes.js'
import { Problem } from '../../../runtime/problem.js'
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
import { notRepeated } from '../../providers/provider-failed.js'
import { afterToken, FailedAfterCall, type RunSteps, StepCallFailed } from './run-steps.js'
import { providerFailed, tries } from './step-problems.js'

export interface StepRunnerDependencies {
  db: Knex
  log: Log
  glue: GlueReader
  runSteps: RunSteps
  /** Validates a user's token as the endpoint's own methods say. @throws Problem 401 */
  recheck: (userToken: string, run: Pick<EndpointRun, 'tenantKey' | 'endpointKey'>, glue: OpenedGlue) => Promise<void>
  /** By the id of their workflow, of runs that this process has brought to their end. */
  outcomes: Outcomes<EndpointOutcome>
}

/** Of an activity of a run. */
export interface Attempt {
  workflowId: string
  attempt: number
  /** Of the activity: a run that is cancelled. */
  signal?: AbortSignal
}

/** Runs the steps of endpoints, some at a go. */
export interface StepRunner {
  /**
   * Begins a run's first activity in this process, before Temporal asks for it some 10 ms later. The workflow then gets
   * this result. Where this process has ended by then, another one does the activity again.
   */
  startEarly(workflowId: string, input: EndpointSteps): void
  /** Runs the next steps, at most one call of a provider among them. @throws ApplicationFailure */
  run(input: EndpointSteps, attempt: Attempt): Promise<StepsDone>
  /** Validates the user's token before later steps use it. @throws ApplicationFailure */
  validate(input: TokenCheck, attempt: Attempt): Promise<void>
}

/** So long after the edge has validated the user's token it need not be done again, in ms. */
const freshMs = 5_000
/** Attempts after which an error that nobody foresaw ends the run. */
const unforeseenAttempts = 3

export function createStepRunner(dependencies: StepRunnerDependencies): StepRunner {
  const begun = new Map<string, Promise<StepsDone>>()

  async function go(input: EndpointSteps, attempt: Attempt): Promise<StepsDone> {
    const done = await tried(input.run, input.deadline, attempt, signal =>
      stepsOf(dependencies, input, attempt.attempt, signal),
    )
    if ('answer' in done) dependencies.outcomes.publish(attempt.workflowId, done)
    return done
  }

  /** @throws ApplicationFailure, and a final one is the outcome of the run. */
  async function tried<T>(
    { tenantKey, endpointKey, traceId }: Pick<EndpointRun, 'tenantKey' | 'endpointKey' | 'traceId'>,
    deadline: number,
    { workflowId, attempt, signal }: Attempt,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const end = (outcome: EndpointOutcome) => dependencies.outcomes.publish(workflowId, outcome)
    const timeIsOver = AbortSignal.timeout(Math.max(0, deadline - Date.now()))
    try {
      return await work(signal ? AbortSignal.any([signal, timeIsOver]) : timeIsOver)
    } catch (error) {
      if (signal?.aborted) throw error
      const { problem, retryAfterMs, retry } = asRunProblem(
        error,
        { deadline },
        { attempt, isOver: timeIsOver.aborted },
      )
      dependencies.log.warn({ tenantKey, endpointKey, traceId, attempt, retry, err: error }, 'steps not done')
      if (!retry) end({ problem })
      throw ApplicationFailure.create({
        type: problem.code,
        message: problem.detail,
        nonRetryable: !retry,
        details: [problem],
        // A delay of 0 would mean to Temporal: never again.
        ...(retryAfterMs ? { nextRetryDelay: retryAfterMs } : {}),
      })
    }
  }

  return {
    startEarly(workflowId, input) {
      const first = go(input, { workflowId, attempt: 1 })
      first.catch(() => undefined)
      begun.set(workflowId, first)
      // A workflow that went elsewhere does not ask.
      setTimeout(() => begun.delete(workflowId), runBudgetMs).unref()
    },
    run(input, attempt) {
      const first = begun.get(attempt.workflowId)
      // Once: what is asked for again is to be done again.
      begun.delete(attempt.workflowId)
      return first ?? go(input, attempt)
    },
    validate: (input, attempt) =>
      tried(input, input.deadline, attempt, async () => {
        const opened = await dependencies.glue(await tenantIdOf(dependencies.db, input.tenantKey))
        await dependencies.recheck(input.userToken, input, opened)
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
  const isFresh = state.next === 0 && Date.now() < deadline - runBudgetMs + freshMs
  const again = isFresh ? undefined : (userToken: string) => recheck(userToken, run, opened)
  const later = isFresh ? undefined : afterToken(opened, run, state, attempt)
  const done = later ?? (await runSteps(opened, { ...run, tenantId, recheck: again }, state, 'request', signal))
  if ('queue' in done && done.queue !== undefined) await markQueueUsed(db, done.queue)
  return done
}

const outOfTime = (step: string, attempt: number) =>
  new Problem(
    'provider-timeout',
    `It was given ${runBudgetMs / 1000} s, and the step '${step}' had no answer by then (attempt ${attempt}). ` +
      'It is not known whether this call was carried out.',
  )

/** Until Temporal makes the next attempt. */
const pauseMs = (attempt: number): number =>
  Math.min(attempts.initialInterval * attempts.backoffCoefficient ** (attempt - 1), attempts.maximumInterval)

interface Judged {
  problem: RunProblem
  retry: boolean
  retryAfterMs?: number | undefined
}

/** The outcome of a run after an error. Only texts that the caller may read cross to Temporal. */
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
    // Where the next attempt would come too late, the caller is told at once, and when to come again.
    const retry = retryable && Date.now() + (retryAfterMs || pauseMs(attempt)) < deadline
    const headers = retryAfterMs === 0 ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
    const tried = tries({ attempt, spentMs: Date.now() - (deadline - runBudgetMs), givenMs: runBudgetMs })
    const problem = providerFailed(step, message).toJSON()
    const detail = problem.detail + tried + notRepeated(error)
    return { problem: { ...problem, detail, headers }, retry, retryAfterMs: error.retryAfterMs }
  }
  const problem = asProblem(error)
  if (problem instanceof Problem) return { problem: problem.toJSON(), retry: problem.status === 503 }
  return { problem: unforeseen.toJSON(), retry: attempt < unforeseenAttempts }
}

const unforeseen = new Problem('internal', 'Something unforeseen happened. Please report the trace id.')
