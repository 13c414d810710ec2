// The loop of every job's workflow: activities, retries, progress and cancellation.
import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import {
  type JobInput,
  type JobKind,
  type JobProgress,
  kinds,
  type Pace,
  paceOf,
  queues,
  type StepsInput,
} from './contracts.js'

// An outage is waited out however long it takes; what can never succeed comes back as a non-retryable failure.
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' } as const

const background: ActivityOptions = {
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry,
  // The activity would hear of a cancellation with its next heartbeat, which may be 8 s away. The job's row, once it says
  // Cancelled, stops it at the next step.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
}
// A provider may have lost its limits, and with them its queue: then a look at the job's own queue tells what is right now.
const atProvider: ActivityOptions = { scheduleToStartTimeout: '1m' }
const interactive = proxyLocalActivities<Activities>({ startToCloseTimeout: '1m', retry })

/** Undefined where no worker took the activity in time. */
function notBegun(error: unknown): undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') return undefined
  throw error
}

/**
 * The progress as operators read it in the Temporal UI: `20 of 60 items written`. At the end it has the outcomes:
 * `60 of 60 items written: 58 created, 2 updated`.
 * @param pace where it is long.
 */
export function progressOf(kind: JobKind, { done, total, counts = {} }: JobProgress, pace?: Pace): string {
  const { unit, doing } = kinds[kind]
  const outcomes = Object.entries(counts).map(([outcome, n]) => `${n.toLocaleString('en')} ${outcome}`)
  const made = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit[1]} ${doing}${outcomes.length > 0 ? `: ${outcomes.join(', ')}` : ''}`
  return pace ? `${made}, ${pace.perSecond.toLocaleString('en')} a second, ${pace.secondsLeft} s left` : made
}

/** Names of the activities that do the next steps of a job. */
type Steps = {
  [Name in keyof Activities]: Activities[Name] extends (input: StepsInput) => Promise<JobProgress> ? Name : never
}[keyof Activities]

interface OwnKind {
  activity: Steps
  limit?: number
  calls?: true
  isPaced?: true
}

interface RunOptions {
  /** Of one activity, where 10 minutes may not do. */
  startToCloseTimeout?: NonNullable<ActivityOptions['startToCloseTimeout']>
  /** Between two activities, in ms. */
  pauseMs?: number
  /**
   * Continues as a new run when the history is long. By default the input stays the same: the job's progress stands in
   * MySQL.
   */
  again?(): Promise<never>
}

/**
 * Runs a job to its end, some steps in each activity. Each step is one transaction that also marks the step as done.
 * After a kill the run goes on with the first open step.
 */
export async function runJob(
  kind: JobKind,
  input: JobInput,
  { startToCloseTimeout, pauseMs, again = () => continueAsNew(input) }: RunOptions = {},
): Promise<JobProgress> {
  const { tenantKey, jobId, queue } = input
  const { activity, limit, calls, isPaced }: OwnKind = kinds[kind]
  const ref = { tenantKey, jobId }
  const own: ActivityOptions = {
    ...background,
    ...(startToCloseTimeout === undefined ? {} : { startToCloseTimeout }),
    ...(calls ? { taskQueue: queues.calls } : {}),
  }
  const activities = (taskQueue?: string, summary = '') =>
    queue === queues.interactive
      ? interactive
      : proxyActivities<Activities>({
          ...own,
          ...(taskQueue === undefined ? {} : { ...atProvider, taskQueue }),
          summary,
        })
  let done = 0
  /** After the first activity of this run. */
  let begun: { done: number; at: number } | undefined
  let taskQueue: string | undefined
  try {
    for (;;) {
      const progress = await activities(taskQueue, `${kinds[kind].unit[1]} from ${(done + 1).toLocaleString('en')}`)
        [activity]({ ...ref, limit })
        .catch(notBegun)
      if (!progress) {
        taskQueue = undefined
        continue
      }
      done = progress.done
      begun ??= { done, at: Date.now() }
      const left = progress.total - done
      const pace = isPaced && left > 0 ? paceOf(done - begun.done, Date.now() - begun.at, left) : undefined
      setCurrentDetails(progressOf(kind, progress, pace))
      if (progress.done === progress.total) return progress
      if (workflowInfo().continueAsNewSuggested) await again()
      // Elsewhere nothing was done yet, so there is nothing to pause after.
      if (pauseMs !== undefined && progress.taskQueue === undefined) await sleep(pauseMs)
      taskQueue = progress.taskQueue
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => activities().recordCancelled(ref))
    // The problem itself is the failure of the run: an operator need not look for its cause.
    else if (error instanceof ActivityFailure && error.cause instanceof ApplicationFailure) throw error.cause
    throw error
  }
}
