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
  type EndedJob,
  type JobInput,
  type JobKind,
  type JobProgress,
  kindOf,
  type Pace,
  paceOf,
  queues,
} from './contracts.js'

// An outage is waited out however long it takes; what can never succeed comes back as a non-retryable failure.
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' } as const

const interactive = proxyLocalActivities<Activities>({ startToCloseTimeout: '1m', retry })

/**
 * The activities of a job: those of an interactive one run in the process of its workflow.
 * @param taskQueue queue of a provider with limits, where the next step belongs there.
 */
function activitiesOf(kind: JobKind, { queue }: JobInput, taskQueue?: string, summary?: string) {
  if (queue === queues.interactive) return interactive
  const { calls, activityTimeout = '10m' } = kindOf(kind)
  const options: ActivityOptions = {
    startToCloseTimeout: activityTimeout,
    heartbeatTimeout: '10s',
    retry,
    // The activity would hear of a cancellation with its next heartbeat, which may be 8 s away. The job's row, once it says
    // Cancelled, stops it at the next step.
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    ...(calls ? { taskQueue: queues.calls } : {}),
    // A provider may have lost its limits, and with them its queue: then a look at the job's own queue tells what is right now.
    ...(taskQueue === undefined ? {} : { taskQueue, scheduleToStartTimeout: '1m' }),
    ...(summary === undefined ? {} : { summary }),
  }
  return proxyActivities<Activities>(options)
}

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
function progressText(kind: JobKind, progress: JobProgress, pace?: Pace): string {
  const { unit, doing } = kindOf(kind)
  const { done, total } = progress
  const counts = progress.state === 'ended' ? progress.counts : {}
  const outcomes = Object.entries(counts).map(([outcome, n]) => `${n.toLocaleString('en')} ${outcome}`)
  const made = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit[1]} ${doing}${outcomes.length > 0 ? `: ${outcomes.join(', ')}` : ''}`
  return pace ? `${made}, ${pace.perSecond.toLocaleString('en')} a second, ${pace.secondsLeft} s left` : made
}

interface RunOptions {
  /** Pause between two activities, in ms. */
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
  { pauseMs, again = () => continueAsNew(input) }: RunOptions = {},
): Promise<EndedJob> {
  const { tenantKey, jobId } = input
  const { unit, limit, isPaced } = kindOf(kind)
  const ref = { tenantKey, jobId }
  let done = 0
  /** After the first activity of this run. */
  let first: { done: number; at: number } | undefined
  let taskQueue: string | undefined
  try {
    for (;;) {
      const summary = `${unit[1]} from ${(done + 1).toLocaleString('en')}`
      const steps = activitiesOf(kind, input, taskQueue, summary)[kind]
      const progress = await steps({ ...ref, limit }).catch(notBegun)
      taskQueue = progress?.state === 'elsewhere' ? progress.taskQueue : undefined
      if (!progress) continue
      done = progress.done
      first ??= { done, at: Date.now() }
      const left = progress.total - done
      const pace = isPaced && left > 0 ? paceOf(done - first.done, Date.now() - first.at, left) : undefined
      setCurrentDetails(progressText(kind, progress, pace))
      if (progress.state === 'ended') return progress
      if (workflowInfo().continueAsNewSuggested) await again()
      // Elsewhere nothing was done yet, so there is nothing to pause after.
      if (pauseMs !== undefined && progress.state === 'open') await sleep(pauseMs)
    }
  } catch (error) {
    if (isCancellation(error))
      await CancellationScope.nonCancellable(() => activitiesOf(kind, input).recordCancelled(ref))
    // The problem itself is the failure of the run: an operator need not look for its cause.
    else if (error instanceof ActivityFailure && error.cause instanceof ApplicationFailure) throw error.cause
    throw error
  }
}
