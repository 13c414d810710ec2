// Spans of OpenTelemetry, and their export. Nothing is traced unless an endpoint is configured.
import {
  type Attributes,
  type Context,
  context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  type SpanOptions as StartOptions,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { TraceConfig } from '../settings/config.js'
import type { Log } from './log.js'

/** Ids that a span is to have, where several processes have to know them. */
export interface SpanIds {
  /** Of a root only: other spans have the one of their parent. */
  traceId?: string
  spanId: string
}

export interface SpanOptions extends Pick<StartOptions, 'kind' | 'startTime'> {
  /** By default what is active; none is started where that is no trace that is kept. */
  parent?: Context
  ids?: SpanIds
  attributes?: Attributes
}

let tracer: Tracer | undefined
/** Of the span that is being started. */
let chosenIds: SpanIds | undefined

/** Whether spans are made in this process. */
export const isTracing = (): boolean => tracer !== undefined

/**
 * Sends the spans of this process to `OTEL_EXPORTER_OTLP_ENDPOINT`, with the settings that OpenTelemetry reads itself. The
 * packages are loaded here: a process without traces has none of them.
 * @param service its name, unless `OTEL_SERVICE_NAME` gives another.
 * @param kept which traces: by default a tenth, and not all as OpenTelemetry has it.
 * @returns sends the spans that are left.
 */
export async function startTracing(service: string, log: Log, kept: TraceConfig): Promise<() => Promise<void>> {
  process.env.OTEL_TRACES_SAMPLER = kept.sampler
  process.env.OTEL_TRACES_SAMPLER_ARG = String(kept.share)
  const [{ AsyncLocalStorageContextManager }, { OTLPTraceExporter }, resources, sdk] = await Promise.all([
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
  ])
  const own = log.child({ component: 'tracing' })
  const warn = (message: string) => own.warn(message)
  diag.setLogger({ error: warn, warn, info: warn, debug: warn, verbose: warn }, { logLevel: DiagLogLevel.WARN })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources
  const random = new sdk.RandomIdGenerator()
  const provider = new sdk.BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(detectResources({ detectors: [envDetector] })),
    idGenerator: {
      generateTraceId: () => chosenIds?.traceId ?? random.generateTraceId(),
      generateSpanId: () => chosenIds?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  })
  tracer = provider.getTracer('armature')
  return () => provider.shutdown().catch(err => own.warn({ err }, 'the last spans were not sent'))
}

/** Whether what is active belongs to a trace that is kept: whatever begins below it is kept too, and else nothing. */
export const isTraced = (): boolean =>
  tracer !== undefined && ((trace.getActiveSpan()?.spanContext().traceFlags ?? 0) & TraceFlags.SAMPLED) > 0

/** Starts a span, which its caller ends by {@link endSpan}. */
export function startSpan(name: string, { parent, ids, ...options }: SpanOptions): Span | undefined {
  if (!tracer || (!parent && !isTraced())) return undefined
  chosenIds = ids
  try {
    return tracer.startSpan(name, options, parent ?? context.active())
  } finally {
    chosenIds = undefined
  }
}

/** Ends a span. It tells the code or the class of an error alone: a message may quote people's data. */
export function endSpan(span: Span, error?: unknown, endTime?: Date): void {
  if (error !== undefined) {
    span.setAttribute('error.type', typeOf(error))
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end(endTime)
}

/** Codes are ours, the database's and the system's; a failure of Temporal has a type. */
function typeOf(error: unknown): string {
  const { code, type, name }: { code?: unknown; type?: unknown; name?: unknown } = Object(error)
  for (const text of [code, type, name]) if (typeof text === 'string' && /^[\w.:-]{1,64}$/.test(text)) return text
  return '_OTHER'
}

/** Does a work in a span; spans that it starts are below it. @param work gets undefined where there is no span. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = startSpan(name, options)
  if (!span) return work(undefined)
  try {
    const result = await context.with(trace.setSpan(options.parent ?? context.active(), span), () => work(span))
    endSpan(span)
    return result
  } catch (error) {
    endSpan(span, error)
    throw error
  }
}

/** The active span as W3C `traceparent`; undefined where there is none. */
export function traceParent(): string | undefined {
  const span = tracer && trace.getActiveSpan()?.spanContext()
  return span && `00-${span.traceId}-${span.spanId}-0${span.traceFlags & TraceFlags.SAMPLED}`
}

/** The context below a span of this or another process. */
export const belowSpan = (span: SpanContext): Context => trace.setSpanContext(ROOT_CONTEXT, { ...span, isRemote: true })

/** The context below a `traceparent`; the root where it is not valid. */
export function below(parent: string): Context {
  const span = parseTraceParent(parent)
  return span ? belowSpan(span) : ROOT_CONTEXT
}

/** Does a work below a `traceparent`, such as the one that a job keeps. */
export const workBelow = <T>(parent: string | null, work: () => T): T =>
  tracer ? context.with(below(parent ?? ''), work) : work()

/** The ids of the active span, for lines of the log. */
export function activeIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext()
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {}
}
