// Creates OpenTelemetry spans and exports them. Nothing is traced unless an endpoint is configured.
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

/** Ids to give to a span, for spans that several processes refer to. */
export interface SpanIds {
  /** Used for root spans only. Other spans inherit the trace id of their parent. */
  traceId?: string
  spanId: string
}

export interface SpanOptions extends Pick<StartOptions, 'kind' | 'startTime'> {
  /** Defaults to the active context, in which case a span is started only if that belongs to a sampled trace. */
  parent?: Context
  ids?: SpanIds
  attributes?: Attributes
}

let tracer: Tracer | undefined
/** The ids for the span that is being started. The id generator takes no arguments, so it reads them here. */
let chosenIds: SpanIds | undefined

/** Tells whether this process creates spans. */
export const isTracing = (): boolean => tracer !== undefined

/**
 * Starts exporting the spans of this process to `OTEL_EXPORTER_OTLP_ENDPOINT`, with the other settings that
 * OpenTelemetry reads itself. The packages are imported here, so a process without tracing does not load them.
 * @param service its name in traces, unless `OTEL_SERVICE_NAME` overrides it.
 * @param kept the sampler. Our default keeps a tenth of all traces, while that of OpenTelemetry keeps all.
 * @returns a function that sends the remaining spans and stops the export.
 */
export async function startTracing(
  { service, version }: { service: string; version: string },
  log: Log,
  kept: TraceConfig,
): Promise<() => Promise<void>> {
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
      .merge(resourceFromAttributes({ 'service.name': service, 'service.version': version }))
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

/** Tells whether the active span belongs to a sampled trace. If so, spans started below it are exported too. */
export const isTraced = (): boolean =>
  tracer !== undefined && ((trace.getActiveSpan()?.spanContext().traceFlags ?? 0) & TraceFlags.SAMPLED) > 0

/** Starts a span, which the caller ends with {@link endSpan}. Returns undefined if nothing is traced. */
export function startSpan(name: string, { parent, ids, ...options }: SpanOptions): Span | undefined {
  if (!tracer || (!parent && !isTraced())) return undefined
  chosenIds = ids
  try {
    return tracer.startSpan(name, options, parent ?? context.active())
  } finally {
    chosenIds = undefined
  }
}

/** Ends a span. Only the code or the class of an error is recorded, because its message may quote personal data. */
export function endSpan(span: Span, error?: unknown, endTime?: Date): void {
  if (error !== undefined) {
    span.setAttribute('error.type', typeOf(error))
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end(endTime)
}

/**
 * Returns the code of an error (ours, the database's or the system's), or else the type of a Temporal failure or the
 * class.
 */
function typeOf(error: unknown): string {
  const { code, type, name }: { code?: unknown; type?: unknown; name?: unknown } = Object(error)
  for (const text of [code, type, name]) if (typeof text === 'string' && /^[\w.:-]{1,64}$/.test(text)) return text
  return '_OTHER'
}

/**
 * Runs `work` in a span, which becomes the parent of the spans started within. @param work gets undefined if nothing is
 * traced.
 */
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

/** Returns the active span as a W3C `traceparent`, or undefined if there is none. */
export function traceParent(): string | undefined {
  const span = tracer && trace.getActiveSpan()?.spanContext()
  return span && `00-${span.traceId}-${span.spanId}-0${span.traceFlags & TraceFlags.SAMPLED}`
}

/** Returns a context whose parent is a span of this or another process. */
export const belowSpan = (span: SpanContext): Context => trace.setSpanContext(ROOT_CONTEXT, { ...span, isRemote: true })

/** Returns a context whose parent is the span in a `traceparent`, or the root context if that is invalid. */
export function below(parent: string): Context {
  const span = parseTraceParent(parent)
  return span ? belowSpan(span) : ROOT_CONTEXT
}

/** Runs `work` with the span in a `traceparent`, such as the one stored with a job, as its parent. */
export const workBelow = <T>(parent: string | null, work: () => T): T =>
  tracer ? context.with(below(parent ?? ''), work) : work()

/** Returns the ids of the active span, to be added to log lines. */
export function activeIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext()
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {}
}
