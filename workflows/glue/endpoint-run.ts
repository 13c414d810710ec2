// The workflow that runs an endpoint.
import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
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

/**
 * Failures after which nobody knows whether the activity's call was carried out, because its worker died or was
 * stopped.
 */
const interruptions = ['TemporalTimeout:Heartbeat', 'TemporalTimeout:StartToClose', 'WorkerShutdown']
/** How long an activity may go on after the run's deadline, to report that the time is over. */
const slackMs = 1_000

/**
 * Runs an endpoint's pipeline with at most one provider call per activity. The first activity is a local one, so that a
 * single call costs one workflow task. A call that is not idempotent runs in a regular activity, which is in the
 * history before it starts: if its worker is killed, the run ends without repeating the call.
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
      await localActivities(deadline, asked)
        .validateToken({ tenantKey, endpointKey, traceId, userToken, deadline })
        .catch((error: unknown) => endAfter(error, asked))
    }
    const done = await stepActivities(state, taskQueue, deadline, asked)
      .runEndpointSteps({ run, state, deadline })
      .catch((error: unknown) => endAfter(error, asked))
    if ('answer' in done) {
      setCurrentDetails(`Answered ${done.answer.status}`)
      return done.answer
    }
    state = done.state
    setCurrentDetails(`Goes on ${summaryOf(done.call)}`)
    taskQueue = done.queue
    nextCall = done.call
    usesToken = done.usesToken
  }
}

/**
 * Proxies local activities.
 * @param call the next one of the run.
 */
function localActivities(deadline: number, call: NextCall | undefined) {
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

/**
 * Proxies the activities that run the next steps.
 * @param call the one among these steps.
 */
function stepActivities(
  { next }: RunState,
  taskQueue: string | undefined,
  deadline: number,
  call: NextCall | undefined,
) {
  const left = timeLeft(deadline, call)
  const mustNotRepeat = call?.isIdempotent === false
  const limits = { scheduleToCloseTimeout: left, retry: attempts }
  if (next === 0 && taskQueue === undefined && !mustNotRepeat) return localActivities(deadline, call)
  const options: ActivityOptions = {
    ...limits,
    heartbeatTimeout: '5s',
    summary: summaryOf(call),
    ...(mustNotRepeat && { retry: { ...attempts, nonRetryableErrorTypes: interruptions } }),
  }
  return proxyActivities<Activities>(taskQueue === undefined ? options : { ...options, taskQueue })
}

/**
 * Ends the run after a failed activity. Final failures and cancellations pass unchanged; a failure that would still be
 * retried means that the time is over.
 */
function endAfter(error: unknown, call: NextCall | undefined): never {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
  const { cause } = error
  if (call?.isIdempotent === false && isInterruption(cause)) throw failure(interrupted(call))
  if (cause instanceof ApplicationFailure && cause.nonRetryable) throw error
  throw failure(timeIsOver(call, lastProblem(cause)))
}

/** Returns the problem of the last attempt that reported one. */
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
  detail: `The process that made the call of the step '${step}' ended before the answer was recorded. The call is not idempotent and may have been carried out, so it is not repeated.`,
  faults: [],
  headers: {},
})

const timeIsOver = (call: NextCall | undefined, last?: RunProblem): RunProblem => ({
  status: 504,
  code: 'provider-timeout',
  title: 'Endpoint timed out',
  detail:
    `The run had ${runBudgetMs / 1000} s${call ? `, and the step '${call.step}' had no answer by then` : ''}.` +
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
