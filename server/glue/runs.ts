// Runs an endpoint's pipeline as a Temporal workflow and waits for its outcome.
import { setTimeout as sleep } from 'node:timers/promises'
import { WorkflowFailedError, type WorkflowHandleWithStartDetails } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type { Log } from '../../runtime/observe/log.js'
import { Problem, unavailable } from '../../runtime/problems/problem.js'
import { type Temporal, temporalTimeoutMs } from '../../runtime/temporal/calls.js'
import type { Outcomes } from '../../runtime/temporal/outcomes.js'
import { searchAttributes } from '../../runtime/temporal/search-attributes.js'
import { temporalNow } from '../../runtime/temporal/temporal-clock.js'
import {
  type CalledRun,
  type EndpointInput,
  type EndpointOutcome,
  endpointRunId,
  type GlueAnswer,
  type NextCall,
  type RunProblem,
  runBudgetMs,
} from '../../workflows/glue/contracts.js'
import { priorities, queues } from '../../workflows/jobs/contracts.js'

/** How long to wait for a run to end in this process before asking Temporal about it, in ms. */
const askTemporalAfterMs = 1_000
/**
 * A run ends itself when its time is over. If it has not done so this long after, in ms, the caller gets an answer
 * anyway.
 */
const slackMs = 3_000

export interface RunsOptions {
  /** @throws Problem 503 while Temporal is unavailable. */
  temporal: () => Temporal
  log: Log
  /** The outcomes of runs that this process's worker has finished, by workflow id. */
  outcomes: Outcomes<EndpointOutcome>
}

/** Values by which operators find a run. */
interface RunIds {
  workflowId: string
  jobId: string
  actor: string
}

type Handle = WorkflowHandleWithStartDetails<(input: EndpointInput) => Promise<GlueAnswer>>

/**
 * Runs an endpoint's pipeline as a workflow, in this process if possible, and waits for its outcome. The run continues
 * if the caller disconnects or this process dies.
 * @throws Problem 503 if Temporal does not accept the run; then nothing was done.
 */
export type RunEndpoint = (run: CalledRun, first: FirstCall) => Promise<EndpointOutcome>

interface FirstCall {
  /** The task queue of the first call's provider, if that has limits. */
  queue: string | undefined
  /** The first call of the pipeline. */
  call: NextCall | undefined
  /** The caller, by which operators can find the run. */
  actor: string
}

/** Creates the function that runs endpoints. A run is recorded in Temporal only, not in the database. */
export function createEndpointRuns({ temporal, log, outcomes }: RunsOptions): RunEndpoint {
  return async (run, { queue, call, actor }) => {
    const { runId } = run
    const workflowId = endpointRunId(run)
    return outcomes.wait(workflowId, async here => {
      const waited = new AbortController()
      try {
        const input = { run, queue, call, startBy: temporalNow() + temporalTimeoutMs }
        const handle = await start({ workflowId, jobId: runId, actor }, input)
        // Most runs end in this process within milliseconds. Waiting for that first saves a request to Temporal.
        const aloneMs = handle.eagerlyStarted && queue === undefined ? askTemporalAfterMs : 0
        const pause = sleep(aloneMs, undefined, { signal: waited.signal }).catch(() => undefined)
        return (await Promise.race([here, pause])) ?? (await Promise.race([here, outcomeOf(handle, run)]))
      } finally {
        waited.abort()
      }
    })
  }

  async function start({ workflowId, jobId, actor }: RunIds, input: EndpointInput): Promise<Handle> {
    const { tenantKey, endpointKey, traceId } = input.run
    try {
      return await temporal().call(({ workflow }) =>
        workflow.start<(input: EndpointInput) => Promise<GlueAnswer>>('glueEndpoint', {
          taskQueue: queues.interactive,
          workflowId,
          args: [input],
          requestEagerStart: true,
          priority: { fairnessKey: tenantKey, priorityKey: priorities.caller },
          staticSummary: `${endpointKey}, trace ${traceId}`,
          staticDetails: `Endpoint ${endpointKey}, called by ${actor}. The log has the call under the trace ${traceId}.`,
          memo: { tenant: tenantKey, endpoint: endpointKey, trace: traceId },
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

  /** Asks Temporal for the outcome of a run, in whichever process it ended. */
  async function outcomeOf(handle: Handle, { endpointKey, traceId }: CalledRun): Promise<EndpointOutcome> {
    const waitMs = runBudgetMs + slackMs
    const deadline = Date.now() + waitMs
    try {
      return { answer: await temporal().call(() => handle.result(), waitMs) }
    } catch (error) {
      if (error instanceof WorkflowFailedError) return { problem: problemOf(error) ?? runEnded }
      log.warn({ err: error, endpointKey, traceId }, 'stopped asking for a run')
      // The run may still end in this process, so the caller waits as long as it would have waited for Temporal.
      await sleep(deadline - Date.now(), undefined, { ref: false })
      return { problem: outOfTime }
    }
  }
}

/** Returns the problem that an activity or the workflow attached to its failure. */
function problemOf(error: unknown): RunProblem | undefined {
  if (!(error instanceof Error)) return undefined
  const [problem] = error instanceof ApplicationFailure ? (error.details ?? []) : []
  return (problem as RunProblem | undefined) ?? problemOf(error.cause)
}

const runEnded = new Problem('run-ended', 'The run in Temporal was ended from outside.').toJSON()

const outOfTime = new Problem('provider-timeout', 'It is not known how far the run came; it may still go on.').toJSON()
