// Runs the steps of endpoints, for activities and for calls that are answered directly.
import type { Knex } from 'knex'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import type { TenantId } from '../../../db/connect.js'
import { asProblem } from '../../../db/errors.js'
import type { GlueReader, OpenedGlue } from '../../../db/glue/endpoints/settings.js'
import { markQueueUsed } from '../../../db/glue/providers/provider-queues.js'
import type { Log } from '../../../runtime/observe/log.js'
import { Problem } from '../../../runtime/problems/problem.js'
import { temporalNow } from '../../../runtime/temporal/temporal-clock.js'
import {
  attempts,
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
}

/** Which attempt of the same steps this is. */
export interface Attempt {
  /** From 1 on. */
  attempt: number
  /** Aborted when the run is cancelled. */
  signal?: AbortSignal
}

/** Runs the steps of endpoints, a few at a time. Whoever calls it repeats what may be repeated. */
export interface StepRunner {
  /**
   * Runs the next steps, which make at most one call of a provider.
   * @throws StepsFailed
   */
  run(input: EndpointSteps, attempt: Attempt): Promise<StepsDone>
  /**
   * Validates the user's token again before later steps use it.
   * @throws StepsFailed
   */
  validate(input: TokenCheck, attempt: Attempt): Promise<void>
}

/** Some steps of a run have failed. */
export class StepsFailed extends Error {
  override readonly name = 'StepsFailed'

  constructor(
    /** The answer to the caller, if the steps are not tried again or fail each time. */
    readonly problem: RunProblem,
    /** Whether it is safe to try the steps again, and may help. */
    readonly retryable: boolean,
    /** The pause before the next attempt, in ms, if the provider asked for one. */
    readonly retryAfterMs: number | undefined,
    cause: unknown,
  ) {
    super(problem.detail, { cause })
  }
}

/** How long, in ms, a user's token counts as valid after the server has checked it. */
const freshMs = 5_000
/** After how many attempts an unexpected error ends the run. */
const unforeseenAttempts = 3

export function createStepRunner(dependencies: StepRunnerDependencies): StepRunner {
  /**
   * Does work until the run's deadline.
   * @throws StepsFailed
   */
  async function untilDeadline<T>(
    { tenantKey, endpointKey, traceId }: Pick<EndpointRun, 'tenantKey' | 'endpointKey' | 'traceId'>,
    deadline: number,
    { attempt, signal }: Attempt,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const timeIsOver = AbortSignal.timeout(Math.max(0, deadline - temporalNow()))
    try {
      return await work(signal ? AbortSignal.any([signal, timeIsOver]) : timeIsOver)
    } catch (error) {
      if (signal?.aborted) throw error
      const failed = failureOf(error, { deadline }, { attempt, isOver: timeIsOver.aborted })
      dependencies.log.warn(
        { tenantKey, endpointKey, traceId, attempt, retry: failed.retryable, err: error },
        'the steps of an endpoint failed',
      )
      throw failed
    }
  }

  return {
    run: (input, attempt) =>
      untilDeadline(input.run, input.deadline, attempt, signal =>
        stepsOf(dependencies, input, attempt.attempt, signal),
      ),
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

/**
 * Turns an error into the problem that the caller sees, and decides whether to retry. Only texts that the caller may
 * read are in the problem.
 */
function failureOf(
  error: unknown,
  { deadline }: Pick<EndpointSteps, 'deadline'>,
  { attempt, isOver }: { attempt: number; isOver: boolean },
): StepsFailed {
  if (error instanceof FailedAfterCall) {
    const { problem } = failureOf(error.cause, { deadline }, { attempt, isOver })
    return new StepsFailed(problem, false, undefined, error)
  }
  if (error instanceof StepCallFailed) {
    const { step, message, retryable, retryAfterMs = 0 } = error
    if (isOver) return new StepsFailed(outOfTime(step, attempt).toJSON(), false, undefined, error)
    // If the next attempt would come too late, the caller is told at once, and when to try again.
    const retry = retryable && temporalNow() + (retryAfterMs || pauseAfter(attempt, attempts)) < deadline
    const headers = retryAfterMs === 0 ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
    const triesText = tries({ attempt, spentMs: temporalNow() - (deadline - runBudgetMs), givenMs: runBudgetMs })
    const problem = providerFailed(step, message).toJSON()
    const detail = problem.detail + triesText + notRepeated(error)
    return new StepsFailed({ ...problem, detail, headers }, retry, error.retryAfterMs, error)
  }
  const problem = asProblem(error)
  if (problem instanceof Problem) return new StepsFailed(problem.toJSON(), problem.status === 503, undefined, error)
  return new StepsFailed(unforeseen.toJSON(), attempt < unforeseenAttempts, undefined, error)
}

const unforeseen = new Problem('internal', 'Something unforeseen happened. Please report the trace id.')
