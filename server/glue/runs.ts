// Runs a glue pipeline as a Temporal workflow and waits for its outcome.
import { setTimeout as sleep } from 'node:timers/promises'
import { WorkflowFailedError, type WorkflowHandleWithStartDetails } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { startTimeoutMs } from '../../activities/jobs/start-run.js'
import { newId } from '../../runtime/ids.js'
import type { Log } from '../../runtime/log.js'
import type { Outcomes } from '../../runtime/outcomes.js'
import { Problem, unavailable } from '../../runtime/problem.js'
import { searchAttributes } from '../../runtime/search-attributes.js'
import type { Temporal } from '../../runtime/temporal.js'
import {
  type EndpointInput,
  type EndpointOutcome,
  type EndpointRun,
  type EndpointSteps,
  endpointRunId,
  type GlueAnswer,
  type NextCall,
  type RunProblem,
  runBudgetMs,
} from '../../workflows/glue/contracts.js'
import { priorities, queues } from '../../workflows/jobs/contracts.js'

/** How long a run is expected to end in this process before Temporal is asked about it, in ms. */
const askTemporalAfterMs = 1_000
/** After the budget the run itself says that its time is over; when it does not, the caller is told all the same. */
const slackMs = 3_000

export interface RunsOptions {
  /** Throws Problem 503 while Temporal is away. */
  temporal: () => Temporal
  log: Log
  /** By the id of their workflow, of runs that the worker of this process has brought to their end. */
  outcomes: Outcomes<EndpointOutcome>
  /** Begins the first steps of a run that has been given to this process. */
  startEarly(workflowId: string, input: EndpointSteps): void
}

/** Ids by which operators find a run. */
interface RunIds {
  workflowId: string
  jobId: string
  actor: string
}

type Handle = WorkflowHandleWithStartDetails<(input: EndpointInput) => Promise<GlueAnswer>>

/**
 * Runs an endpoint's pipeline as a workflow, in this process if it can, and waits for its outcome. A caller that goes away, or
 * a process that dies, does not stop the run.
 * @throws Problem 503 when Temporal does not take it: then nothing is done.
 */
export type RunEndpoint = (run: EndpointRun, first: FirstCall) => Promise<EndpointOutcome>

interface FirstCall {
  /** Of the first call's provider, where that has limits. */
  queue: string | undefined
  /** The first one of the pipeline. */
  call: NextCall | undefined
  /** The caller, by which operators find the run. */
  actor: string
}

/** Starts runs of endpoints and waits for them. The run in Temporal is their only record. */
export function createEndpointRuns({ temporal, log, outcomes, startEarly }: RunsOptions): RunEndpoint {
  return async (given, { queue, call, actor }) => {
    const runId = newId()
    const run = { ...given, runId }
    const workflowId = endpointRunId(run, runId)
    return outcomes.wait(workflowId, async here => {
      const waited = new AbortController()
      try {
        const input = { run, queue, call, startBy: Date.now() + startTimeoutMs }
        const handle = await start({ workflowId, jobId: runId, actor }, input)
        // A run usually ends here within milliseconds: that spares Temporal a question, and the caller its answer's way.
        const isHere = handle.eagerlyStarted && queue === undefined
        // Begun here it would be in no history: who found this process dead could not know of it.
        const isEarly = isHere && call?.isIdempotent !== false
        if (isEarly)
          startEarly(workflowId, { run, state: { next: 0, outputs: {} }, deadline: Date.now() + runBudgetMs })
        const aloneMs = isHere ? askTemporalAfterMs : 0
        const pause = sleep(aloneMs, undefined, { signal: waited.signal }).catch(() => undefined)
        return (await Promise.race([here, pause])) ?? (await Promise.race([here, outcomeOf(handle, run)]))
      } finally {
        waited.abort()
      }
    })
  }

  async function start({ workflowId, jobId, actor }: RunIds, input: EndpointInput): Promise<Handle> {
    const { tenantKey, endpointKey, traceId } = input.run
    const { client } = temporal()
    try {
      return await client.withDeadline(input.startBy, () =>
        client.workflow.start<(input: EndpointInput) => Promise<GlueAnswer>>('glueEndpoint', {
          taskQueue: queues.interactive,
          workflowId,
          args: [input],
          requestEagerStart: true,
          priority: { fairnessKey: tenantKey, priorityKey: priorities.caller },
          staticSummary: `${endpointKey}, trace ${traceId}`,
          typedSearchAttributes: [
            { key: searchAttributes.tenantKey, value: tenantKey },
            { key: searchAttributes.jobKind, value: 'glueEndpoint' },
            { key: searchAttributes.jobId, value: jobId },
            { key: searchAttributes.actor, value: actor },
          ],
        }),
      )
    } catch (error) {
      throw unavailable('The workflow service', error, 'Nothing was done. ')
    }
  }

  /** Asks Temporal for the outcome of the run, whichever process continued it. */
  async function outcomeOf(handle: Handle, { endpointKey, traceId }: EndpointRun): Promise<EndpointOutcome> {
    const { client } = temporal()
    const deadline = Date.now() + runBudgetMs + slackMs
    try {
      return { answer: await client.withDeadline(deadline, () => handle.result()) }
    } catch (error) {
      if (error instanceof WorkflowFailedError) return { problem: problemOf(error) ?? runEnded }
      log.warn({ err: error, endpointKey, traceId }, 'stopped asking for a run')
      // It may still end here: the caller waits as long as it would have waited for Temporal.
      await sleep(deadline - Date.now(), undefined, { ref: false })
      return { problem: outOfTime }
    }
  }
}

/** The problem that an activity or the workflow has put into its failure. */
function problemOf(error: unknown): RunProblem | undefined {
  if (!(error instanceof Error)) return undefined
  const [problem] = error instanceof ApplicationFailure ? (error.details ?? []) : []
  return (problem as RunProblem | undefined) ?? problemOf(error.cause)
}

const runEnded = new Problem('run-ended', 'Its run in Temporal was ended from outside.').toJSON()

const outOfTime = new Problem('provider-timeout', 'It is not known how far it came; it may still go on.').toJSON()
