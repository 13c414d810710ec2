// Runs a job's workflow: one activity after the other, with retries, progress and cancellation.
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
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import {
  type Done,
  type EndedJob,
  type JobInput,
  type JobKind,
  type JobProgress,
  jobPercent,
  kindOf,
  type Pace,
  paceOf,
  queues,
  stepRetry,
} from './contracts.js'

const interactive = proxyLocalActivities<Activities>({ startToCloseTimeout: '1m', retry: stepRetry })

/**
 * Returns the activities for a job. Those of an interactive job are local activities, which run in the process of the
 * workflow.
 * @param taskQueue the queue of a provider with limits, if the next step must run there.
 * @param summary what the Temporal UI shows for the activity.
 */
function activitiesOf(kind: JobKind, { queue }: JobInput, taskQueue?: string, summary?: string) {
  if (queue === queues.interactive) return interactive
  const { calls, activityTimeout = '10m' } = kindOf(kind)
  const options: ActivityOptions = {
    startToCloseTimeout: activityTimeout,
    heartbeatTimeout: '10s',
    retry: stepRetry,
    // A run that ended before its activity would show that as pending for ever.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...(calls ? { taskQueue: queues.calls } : {}),
    // If a provider's limits are removed, nobody polls its queue any more. After a minute the step is tried in the
    // job's own queue, which tells where it belongs now.
    ...(taskQueue === undefined ? {} : { taskQueue, scheduleToStartTimeout: '1m' }),
    ...(summary === undefined ? {} : { summary }),
  }
  return proxyActivities<Activities>(options)
}

/** Returns undefined if no worker has picked up the activity in time. Rethrows any other error. */
function notBegun(error: unknown): undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') return undefined
  throw error
}

/**
 * Formats the progress for the Temporal UI: `20 of 60 items written`, and at the end also the outcomes:
 * `60 of 60 items written: 58 created, 2 updated`.
 * @param pace is appended, if there is one.
 */
function progressText(kind: JobKind, progress: JobProgress, pace?: Pace): string {
  const { unit, doing } = kindOf(kind)
  const { done, total } = progress
  const counts = progress.state === 'ended' ? progress.counts : {}
  const outcomes = Object.entries(counts).map(([outcome, n]) => `${n.toLocaleString('en')} ${outcome}`)
  const made = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit[1]} ${doing}${outcomes.length > 0 ? `: ${outcomes.join(', ')}` : ''}`
  return pace ? `${made}, ${pace.perSecond.toLocaleString('en')} a second, ${pace.secondsLeft} s left` : made
}

/**
 * Waits for an activity until the run is cancelled, and not until the activity has ended, so that the cancellation is
 * recorded at once.
 */
const unlessCancelled = (activity: Promise<JobProgress>): Promise<JobProgress> =>
  Promise.race([activity, CancellationScope.current().cancelRequested])

/**
 * Shows in the search attribute `JobPercent` how many quarters of a job are done. Each change is an event in the
 * history, so it has only three of them, and a job that one activity finishes has none.
 */
function showQuarter({ done, total }: Done): void {
  const value = total === 0 ? 0 : Math.min(Math.floor((done * 4) / total), 3) * 25
  if (value !== workflowInfo().typedSearchAttributes.get(jobPercent))
    upsertSearchAttributes([{ key: jobPercent, value }])
}

interface RunOptions {
  /** Pause between two activities, in ms. */
  pauseMs?: number
  /**
   * Continues as a new run; called when the history has grown long. The default passes the same input on, since the
   * job's progress is in MySQL.
   */
  again?(): Promise<never>
}

/**
 * Runs a job to its end. Each activity does some steps, and each step is a transaction that also records that it is
 * done. So after a crash the job goes on with the first step that is not done.
 * @returns how the job was completed.
 * @throws the problem that failed the job, as the cause that Temporal shows for the run; or the cancellation, after
 *   recording it.
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
  /** The progress after the first activity of this run, from which the pace is measured. */
  let first: { done: number; at: number } | undefined
  let taskQueue: string | undefined
  let underWay: Promise<JobProgress> | undefined
  try {
    for (;;) {
      const summary = `${unit[1]} from ${(done + 1).toLocaleString('en')}`
      const steps = activitiesOf(kind, input, taskQueue, summary)[kind]
      underWay = steps({ ...ref, limit })
      const progress = await unlessCancelled(underWay).catch(notBegun)
      taskQueue = progress?.state === 'elsewhere' ? progress.taskQueue : undefined
      if (!progress) continue
      done = progress.done
      first ??= { done, at: Date.now() }
      const left = progress.total - done
      const pace = isPaced && left > 0 ? paceOf(done - first.done, Date.now() - first.at, left) : undefined
      setCurrentDetails(progressText(kind, progress, pace))
      if (progress.state === 'open') showQuarter(progress)
      if (progress.state === 'ended') return progress
      if (progress.state === 'suspended') await sleep(progress.waitMs, { summary: 'the tenant is suspended' })
      if (workflowInfo().continueAsNewSuggested) await again()
      // If the step belongs elsewhere, nothing was done yet, so there is nothing to pause after.
      if (pauseMs !== undefined && progress.state === 'open') await sleep(pauseMs)
    }
  } catch (error) {
    const end = await afterCancellation(kind, error)
    if (isCancellation(end)) {
      const reached = await CancellationScope.nonCancellable(() => activitiesOf(kind, input).recordCancelled(ref))
      if (reached) setCurrentDetails(`${progressText(kind, { state: 'open', ...reached })}, then cancelled`)
      // The activity learns of the end from the job's row, at its next step, or from its next heartbeat, up to 8 s later.
      await underWay?.catch(() => undefined)
    }
    // Fails the run with the problem itself, so that an operator need not look for it in the cause.
    if (end instanceof ActivityFailure && end.cause instanceof ApplicationFailure) throw end.cause
    throw end
  }
}

/** Tells whether a step was refused because the job had been cancelled. */
export const isJobCancelled = (error: unknown): boolean =>
  error instanceof ActivityFailure
    ? isJobCancelled(error.cause)
    : error instanceof ApplicationFailure && error.type === 'job-cancelled'

/**
 * Returns the error with which a run ends. A step may learn from the job's row that the job was cancelled before
 * Temporal tells the run, so the run then waits for its own cancellation, for a minute at most.
 */
const afterCancellation = (kind: JobKind, error: unknown): Promise<unknown> =>
  isJobCancelled(error) && kindOf(kind).startsBySignal === undefined
    ? sleep('1m', { summary: 'the job was cancelled' }).then(
        () => error,
        (cancellation: unknown) => cancellation,
      )
    : Promise.resolve(error)
