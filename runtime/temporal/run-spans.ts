// Creates spans for runs and activities. Temporal carries the trace in a header, and the ids of spans derive from those
// of runs.
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { Context as Activity } from '@temporalio/activity'
import type { WorkflowClientInterceptor } from '@temporalio/client'
import { defaultPayloadConverter, type Headers } from '@temporalio/common'
import type { ActivityInterceptors, ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker'
import { type TraceSinks, traceHeader } from '../../workflows/contracts.js'
import { below, belowSpan, endSpan, inSpan, isTracing, startSpan, traceParent } from '../observe/tracing.js'

/** Derives the id of a run's span from the run's id, so that every process can compute it. */
const spanIdOf = (runId: string): string => hexOf(runId).slice(-16)
const hexOf = (runId: string): string => runId.replaceAll('-', '')

/**
 * Returns the context below the root span of a trace that a schedule started. Sampling depends on the trace's id only,
 * so every process decides alike.
 */
function belowRoot(firstRunId: string): Context {
  const ids = { traceId: hexOf(firstRunId), spanId: spanIdOf(firstRunId) }
  const root = startSpan('RunWorkflow', { parent: ROOT_CONTEXT, ids })
  return root ? belowSpan(root.spanContext()) : ROOT_CONTEXT
}

/**
 * Returns the context below a run's span. @param origin value of the header `traceHeader`: a `traceparent`, or the id
 * of the first run.
 */
function belowRun(runId: string, origin: string): Context {
  const request = parseTraceParent(origin)
  return request ? belowSpan({ ...request, spanId: spanIdOf(runId) }) : belowRoot(origin)
}

/**
 * Returns the parent and the ids of a run's span: below the request or the schedule's run that started it, or as the
 * root.
 */
function placeOf(runId: string, origin: string) {
  const spanId = spanIdOf(runId)
  if (runId === origin) return { parent: ROOT_CONTEXT, ids: { spanId, traceId: hexOf(runId) } }
  return { parent: parseTraceParent(origin) ? below(origin) : belowRoot(origin), ids: { spanId } }
}

const originIn = (headers: Headers): string | undefined => {
  const payload = headers[traceHeader]
  return payload && defaultPayloadConverter.fromPayload<string>(payload)
}

/** Adds the active span to headers as their origin. */
function withOrigin(headers: Headers): Headers {
  const origin = traceParent()
  return origin ? { ...headers, [traceHeader]: defaultPayloadConverter.toPayload(origin) } : headers
}

/** Returns the client interceptors that put each run into the trace that started it. */
export const startSpans = (): WorkflowClientInterceptor[] => (isTracing() ? [startInterceptor] : [])

const startInterceptor: WorkflowClientInterceptor = {
  startWithDetails: (input, next) =>
    inSpan(`StartWorkflow:${input.workflowType}`, { kind: SpanKind.CLIENT }, () =>
      next({ ...input, headers: withOrigin(input.headers) }),
    ),
  signalWithStart: (input, next) =>
    inSpan(`SignalWithStartWorkflow:${input.workflowType}`, { kind: SpanKind.CLIENT }, () =>
      next({ ...input, headers: withOrigin(input.headers) }),
    ),
}

/** Returns what a worker needs to create spans for activities and runs. */
export const workerSpans = (): {
  interceptors: ActivityInterceptorsFactory[]
  sinks: InjectedSinks<TraceSinks>
} => (isTracing() ? { interceptors: [activityInterceptors], sinks } : { interceptors: [], sinks: noSinks })

const activityInterceptors = ({ info }: Activity): ActivityInterceptors => ({
  inbound: {
    execute(input, next) {
      const origin = originIn(input.headers)
      const run = info.workflowExecution
      if (!origin || !run) return next(input)
      const attributes = { ...attributesOf(run.workflowId, run.runId), temporalActivityID: info.activityId }
      const place = { parent: belowRun(run.runId, origin), attributes }
      return inSpan(`RunActivity:${info.activityType}`, place, () => next(input))
    },
  },
})

const attributesOf = (workflowId: string, runId: string) => ({ temporalWorkflowID: workflowId, temporalRunID: runId })

/**
 * The sinks of a worker without tracing. It still needs the sink, since the run may have started on a worker with
 * tracing.
 */
const noSinks: InjectedSinks<TraceSinks> = { traces: { ended: { fn: () => undefined } } }

const sinks: InjectedSinks<TraceSinks> = {
  traces: {
    ended: {
      fn({ workflowType, workflowId, runId, runStartTime }, origin, end) {
        const attributes = { ...attributesOf(workflowId, runId), 'armature.run.end': end }
        const span = startSpan(`RunWorkflow:${workflowType}`, {
          ...placeOf(runId, origin),
          startTime: runStartTime,
          attributes,
        })
        if (end === 'failed') span?.setStatus({ code: SpanStatusCode.ERROR })
        if (span) endSpan(span)
      },
    },
  },
}
