import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { type EndpointInput, type GlueAnswer, type RunProblem, type RunState, runBudgetMs } from './contracts.js'

// A caller waits: the first tries come soon after each other.
const retry = { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '5s' } as const
/** What an activity has beyond the run's deadline to say that it is over. */
const slackMs = 1_000

/**
 * Runs an endpoint's pipeline, at most one call of a provider in each activity. The first activity is a local one: an endpoint
 * with one call costs one task of this workflow. What was done before a later one is in the history before it begins, so
 * that no kill repeats it. A provider with limits is called through its own queue.
 */
export async function glueEndpoint({ run, queue, startBy }: EndpointInput): Promise<GlueAnswer> {
  const started = workflowInfo().startTime.getTime()
  if (started > startBy) throw failure(tooLate)
  const deadline = started + runBudgetMs
  let state: RunState = { next: 0, outputs: {} }
  let taskQueue = queue
  for (;;) {
    const done = await steps(state, taskQueue, deadline).runEndpointSteps({ run, state, deadline }).catch(ended)
    if ('answer' in done) return done.answer
    state = done.state
    taskQueue = done.queue
  }
}

function steps({ next }: RunState, taskQueue: string | undefined, deadline: number) {
  const left = deadline - Date.now() + slackMs
  if (left <= 0) throw failure(timeIsOver())
  const limits = { scheduleToCloseTimeout: left, retry }
  if (next === 0 && taskQueue === undefined) {
    return proxyLocalActivities<Activities>({ ...limits, startToCloseTimeout: left, localRetryThreshold: '1s' })
  }
  const options: ActivityOptions = { ...limits, heartbeatTimeout: '5s' }
  return proxyActivities<Activities>(taskQueue === undefined ? options : { ...options, taskQueue })
}

/** What is final stays as it is; what would have been tried again has run out of time. */
function ended(error: unknown): never {
  if (!(error instanceof ActivityFailure)) throw error
  const { cause } = error
  if (!(cause instanceof ApplicationFailure)) throw failure(timeIsOver())
  if (cause.nonRetryable) throw error
  const [problem] = cause.details ?? []
  throw failure(timeIsOver((problem as RunProblem | undefined)?.detail))
}

const failure = (problem: RunProblem) =>
  ApplicationFailure.create({ type: problem.code, message: problem.title, nonRetryable: true, details: [problem] })

const timeIsOver = (last = ''): RunProblem => ({
  status: 504,
  code: 'provider-timeout',
  title: 'The endpoint did not come to its end in time',
  detail: `It was given ${runBudgetMs / 1000} s. ${last}`.trim(),
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
