// Spans of runs and activities. Temporal carries their trace in a header; ids of spans follow from ids of runs.
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { Context as Activity } from '@temporalio/activity'
import type { WorkflowClientInterceptor } from '@temporalio/client'
import { defaultPayloadConverter, type Headers } from '@temporalio/common'
import type { ActivityInterceptors, InjectedSinks, WorkerOptions } from '@temporalio/worker'
import { type TraceSinks, traceHeader } from '../../workflows/contracts.js'
import { below, belowSpan, endSpan, inSpan, isTracing, startSpan, traceParent } from '../observe/tracing.js'

/** A run's span has a part of the run's id, so that every process knows it. */
const spanIdOf = (runId: string): string => hexOf(runId).slice(-16)
const hexOf = (runId: string): string => runId.replaceAll('-', '')

/** The ids of the root where a schedule began: whether it is sampled, the trace's id says alike in every process. */
function belowRoot(firstRunId: string): Context {
  const ids = { traceId: hexOf(firstRunId), spanId: spanIdOf(firstRunId) }
  const root = startSpan('RunWorkflow', { parent: ROOT_CONTEXT, ids })
  return root ? belowSpan(root.spanContext()) : ROOT_CONTEXT
}

/** @param origin text of the header `traceHeader`. */
function belowRun(runId: string, origin: string): Context {
  const request = parseTraceParent(origin)
  return request ? belowSpan({ ...request, spanId: spanIdOf(runId) }) : belowRoot(origin)
}

/** Where the span of a run stands: below its request or its schedule's run, or it is the root itself. */
function placeOf(runId: string, origin: string) {
  const spanId = spanIdOf(runId)
  if (runId === origin) return { parent: ROOT_CONTEXT, ids: { spanId, traceId: hexOf(runId) } }
  return { parent: parseTraceParent(origin) ? below(origin) : belowRoot(origin), ids: { spanId } }
}

const originIn = (headers: Headers): string | undefined => {
  const payload = headers[traceHeader]
  return payload && defaultPayloadConverter.fromPayload<string>(payload)
}

/** Headers with the active span as origin. */
function withOrigin(headers: Headers): Headers {
  const origin = traceParent()
  return origin ? { ...headers, [traceHeader]: defaultPayloadConverter.toPayload(origin) } : headers
}

/** Interceptors of a client: a run belongs to the trace in which it is started. */
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

/** Options of a worker whose activities and runs have spans. */
export const workerSpans = (): Pick<WorkerOptions, 'interceptors' | 'sinks'> =>
  isTracing() ? { interceptors: { activity: [activityInterceptors] }, sinks } : { sinks: noSinks }

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

/** A worker that traces nothing knows the sink all the same: a run may have begun where another one traces. */
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
