// The workflow of an endpoint run.
import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import {
  attempts,
  type EndpointInput,
  type GlueAnswer,
  type NextCall,
  type RunProblem,
  type RunState,
  runBudgetMs,
} from './contracts.js'

/** Failures that leave open whether the activity's call was carried out: its worker is gone, or was told to stop. */
const interruptions = ['TemporalTimeout:Heartbeat', 'TemporalTimeout:StartToClose', 'WorkerShutdown']
/** Time of an activity beyond the run's deadline, in which it reports that the time is over. */
const slackMs = 1_000

/**
 * Runs an endpoint's pipeline, at most one provider call in each activity. The first is a local activity: a single call
 * costs one workflow task. A call that is not idempotent is a regular activity: a kill ends the run without a second
 * call.
 */
export async function glueEndpoint({ run, queue, call, startBy }: EndpointInput): Promise<GlueAnswer> {
  const started = workflowInfo().startTime.getTime()
  if (started > startBy) throw failure(tooLate)
  const deadline = started + runBudgetMs
  let state: RunState = { next: 0, outputs: {} }
  let taskQueue = queue
  let nextCall = call
  let usesToken: true | undefined
  for (;;) {
    const asked = nextCall
    const { userToken } = run.request
    if (usesToken && userToken !== undefined) {
      const { tenantKey, endpointKey, traceId } = run
      await localSteps(deadline, asked)
        .validateToken({ tenantKey, endpointKey, traceId, userToken, deadline })
        .catch((error: unknown) => ended(error, asked))
    }
    const done = await steps(state, taskQueue, deadline, asked)
      .runEndpointSteps({ run, state, deadline })
      .catch((error: unknown) => ended(error, asked))
    if ('answer' in done) return done.answer
    state = done.state
    taskQueue = done.queue
    nextCall = done.call
    usesToken = done.usesToken
  }
}

/** @param call the one that comes next. */
function localSteps(deadline: number, call: NextCall | undefined) {
  const left = timeLeft(deadline, call)
  return proxyLocalActivities<Activities>({
    scheduleToCloseTimeout: left,
    startToCloseTimeout: left,
    retry: attempts,
    localRetryThreshold: '1s',
    summary: summaryOf(call),
  })
}

const summaryOf = (call: NextCall | undefined): string => (call ? `to step '${call.step}'` : 'to the answer')

function timeLeft(deadline: number, call: NextCall | undefined): number {
  const left = deadline - Date.now() + slackMs
  if (left <= 0) throw failure(timeIsOver(call))
  return left
}

/** @param call the one among the steps. */
function steps({ next }: RunState, taskQueue: string | undefined, deadline: number, call: NextCall | undefined) {
  const left = timeLeft(deadline, call)
  const once = call?.isIdempotent === false
  const limits = { scheduleToCloseTimeout: left, retry: attempts }
  if (next === 0 && taskQueue === undefined && !once) return localSteps(deadline, call)
  const options: ActivityOptions = {
    ...limits,
    heartbeatTimeout: '5s',
    summary: summaryOf(call),
    ...(once && { retry: { ...attempts, nonRetryableErrorTypes: interruptions } }),
  }
  return proxyActivities<Activities>(taskQueue === undefined ? options : { ...options, taskQueue })
}

/** A final failure and a cancellation stay as they are; a retryable failure means that the time is over. */
function ended(error: unknown, call: NextCall | undefined): never {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
  const { cause } = error
  if (call?.isIdempotent === false && isInterruption(cause)) throw failure(interrupted(call))
  if (cause instanceof ApplicationFailure && cause.nonRetryable) throw error
  throw failure(timeIsOver(call, lastProblem(cause)))
}

/** Of the last attempt that has said anything. */
function lastProblem(cause: unknown): RunProblem | undefined {
  if (cause instanceof ApplicationFailure) return cause.details?.[0] as RunProblem | undefined
  return cause instanceof Error ? lastProblem(cause.cause) : undefined
}

const isInterruption = (cause: unknown): boolean =>
  cause instanceof TimeoutFailure
    ? cause.timeoutType === 'HEARTBEAT' || cause.timeoutType === 'START_TO_CLOSE'
    : cause instanceof ApplicationFailure && cause.type === 'WorkerShutdown'

const failure = (problem: RunProblem) =>
  ApplicationFailure.create({ type: problem.code, message: problem.detail, nonRetryable: true, details: [problem] })

const interrupted = ({ step }: NextCall): RunProblem => ({
  status: 500,
  code: 'call-interrupted',
  title: 'A call was interrupted',
  detail: `The process that made the call of the step '${step}' ended before it had noted the answer. The call is not idempotent and may have been carried out, so it is not repeated.`,
  faults: [],
  headers: {},
})

const timeIsOver = (call: NextCall | undefined, last?: RunProblem): RunProblem => ({
  status: 504,
  code: 'provider-timeout',
  title: 'Endpoint timed out',
  detail:
    `It was given ${runBudgetMs / 1000} s${call ? `, and the step '${call.step}' had no answer by then` : ''}.` +
    (last ? ` ${last.detail}` : ''),
  faults: [],
  headers: {},
})

const tooLate: RunProblem = {
  status: 503,
  code: 'unavailable',
  title: 'Temporarily not available',
  detail: 'The run was accepted too late. Nothing was done.',
  faults: [],
  headers: { 'Retry-After': '5' },
}
