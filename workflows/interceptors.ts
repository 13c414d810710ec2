// Refuses input and results that are not sealed for their run, and carries the trace of a run to its activities.
import { defaultPayloadConverter, type Headers } from '@temporalio/common'
import {
  ApplicationFailure,
  ContinueAsNew,
  isCancellation,
  proxySinks,
  type WorkflowInterceptors,
  workflowInfo,
} from '@temporalio/workflow'
import { type EndOfRun, startedBySchedule, type TraceSinks, traceHeader } from './contracts.js'

/**
 * The member that `runtime/temporal/payload-codec.ts` puts in place of input that it refuses. Both must have the same
 * name.
 */
const refusedMember = 'armature-refused'

/** Returns why an input, a signal or a result was refused, or undefined if it was sealed for this run. */
function refusalOf(value: unknown): string | undefined {
  const why: unknown = Object(value)[refusedMember]
  return typeof why === 'string' ? why : undefined
}

/** Waits for an activity. @throws ApplicationFailure if its result was not sealed for this run, so that the run ends. */
async function acceptedResult(result: Promise<unknown>): Promise<unknown> {
  const value = await result
  const why = refusalOf(value)
  if (why !== undefined) throw ApplicationFailure.nonRetryable(why, 'result-refused')
  return value
}

const { traces } = proxySinks<TraceSinks>()

/**
 * Creates the interceptors of every workflow. A run whose input was not sealed for it fails at its first task, and one
 * that is given such a result fails then; such a signal is ignored. The trace of a run is passed on to what it starts, and its end is reported.
 */
export function interceptors(): WorkflowInterceptors {
  /** The trace header that activities, children and continued runs get. Empty if the run belongs to no trace. */
  let trace: Headers = {}
  const traced = <Input extends { headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: { ...input.headers, ...trace },
  })
  return {
    inbound: [
      {
        // Returns the promise itself, without awaiting it, so that commands stay in the order of the recorded
        // histories.
        execute(input, next) {
          trace = traceOf(input.headers)
          const result = next(input)
          result.then(
            () => tellEnd(trace, 'completed'),
            error => tellEnd(trace, endBy(error)),
          )
          return result
        },
      },
      {
        async execute(input, next) {
          const why = refusalOf(input.args[0])
          if (why === undefined) return next(input)
          if (workflowInfo().unsafe.isReplaying) throw new Error(why)
          throw ApplicationFailure.nonRetryable(why, 'input-refused')
        },
        async handleSignal(input, next) {
          if (refusalOf(input.args[0]) === undefined) await next(input)
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => acceptedResult(next(traced(input))),
        scheduleLocalActivity: (input, next) => acceptedResult(next(traced(input))),
        startChildWorkflowExecution: (input, next) => next(traced(input)),
        continueAsNew: (input, next) => next(traced(input)),
      },
    ],
  }
}

function traceOf(headers: Headers): Headers {
  const given = headers[traceHeader]
  if (given) return { [traceHeader]: given }
  const { workflowType, firstExecutionRunId } = workflowInfo()
  if (!startedBySchedule.includes(workflowType)) return {}
  return { [traceHeader]: defaultPayloadConverter.toPayload(firstExecutionRunId) }
}

function tellEnd(trace: Headers, end: EndOfRun): void {
  const payload = trace[traceHeader]
  if (payload) traces.ended(defaultPayloadConverter.fromPayload<string>(payload), end)
}

function endBy(error: unknown): EndOfRun {
  if (error instanceof ContinueAsNew) return 'continued'
  return isCancellation(error) ? 'cancelled' : 'failed'
}
