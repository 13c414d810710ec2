// Refuses workflow input that is not sealed for its run, and carries the trace of a run to its activities.
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

/** As runtime/temporal/payload-codec.ts has it. */
const refusedMember = 'armature-refused'

/** Why input was refused; undefined where it was sealed for this run. */
function refusalIn([input]: unknown[]): string | undefined {
  const why: unknown = Object(input)[refusedMember]
  return typeof why === 'string' ? why : undefined
}

const { traces } = proxySinks<TraceSinks>()

/**
 * Interceptors of every workflow. A run whose input was not sealed for it fails at its first task. A signal that was not sealed for
 * the run is ignored.
 */
export function interceptors(): WorkflowInterceptors {
  /** Header of the run, which its activities, children and successors get; empty where it belongs to no trace. */
  let trace: Headers = {}
  const traced = <Input extends { headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: { ...input.headers, ...trace },
  })
  return {
    inbound: [
      {
        // It awaits nothing, and returns the same promise: commands keep the order of recorded histories.
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
          const why = refusalIn(input.args)
          if (why === undefined) return next(input)
          if (workflowInfo().unsafe.isReplaying) throw new Error(why)
          throw ApplicationFailure.nonRetryable(why, 'input-refused')
        },
        async handleSignal(input, next) {
          if (refusalIn(input.args) === undefined) await next(input)
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(traced(input)),
        scheduleLocalActivity: (input, next) => next(traced(input)),
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
