// Runs an OpenTelemetry collector that records the spans it receives (OTLP over HTTP, protobuf).
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import protobuf from 'protobufjs'
import { loopbackServer } from './http.js'
import { until } from './until.js'

/** Messages of opentelemetry-proto 1, with the fields that tests read. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start = 7; fixed64 end = 8; repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`)
const Request = root.lookupType('Request')

type Value = string | number | boolean
interface Read {
  resourceSpans?: { resource?: { attributes?: Pair[] }; scopeSpans?: { spans?: ReadSpan[] }[] }[]
}
interface Pair {
  key: string
  value?: Record<string, Value>
}
interface ReadSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  start: string
  end: string
  attributes?: Pair[]
  status?: { code?: number }
}

export interface CollectedSpan {
  traceId: string
  spanId: string
  /** Undefined for a root span. */
  parentId: string | undefined
  name: string
  /** 1 internal, 2 server, 3 client. */
  kind: number
  attributes: Record<string, Value>
  isError: boolean
  /** `service.name` of the process that sent it. */
  service: unknown
}

export interface Collector {
  url: string
  spans: CollectedSpan[]
  /** Returns everything that was received, as text. */
  text(): string
  /** The headers of each request. */
  headers: NodeJS.Dict<string | string[]>[]
  /** Waits until the spans of a trace fulfil a condition, and returns them. */
  trace(traceId: string, wanted: (spans: CollectedSpan[]) => boolean): Promise<CollectedSpan[]>
  stop(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const bodies: Buffer[] = []
  const headers: Collector['headers'] = []
  const { url, stop } = await loopbackServer(async (request, response) => {
    const body = await buffer(request)
    bodies.push(body)
    headers.push(request.headers)
    spans.push(...spansIn(body))
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  return {
    url,
    spans,
    headers,
    stop,
    text: () => Buffer.concat(bodies).toString('utf8'),
    trace(traceId, wanted) {
      const found = async () => {
        const all = spans.filter(span => span.traceId === traceId)
        return wanted(all) && all
      }
      return until(`the spans of ${traceId}`, found, 20_000)
    },
  }
}

/** Settings of processes that send to a collector what their callers trace, and nothing else. */
export const traceAsAsked = (collectorUrl: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
  OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  OTEL_BSP_SCHEDULE_DELAY: '50',
})

/** A trace context as a caller sends it. @param flag `01` if the trace is to be kept, `00` if not. */
export function newTrace(flag = '01') {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flag}` } }
}

/** Returns the statements of a trace, in their order, once no more of them come. */
export async function statementsOf({ spans: all }: Collector, traceId: string): Promise<string[]> {
  let before = -1
  return until(`the statements of ${traceId}`, async () => {
    const spans = all.filter(span => span.traceId === traceId)
    const isSettled = spans.length > 0 && spans.length === before
    before = spans.length
    if (isSettled) return spans.filter(({ attributes }) => 'db.system.name' in attributes).map(({ name }) => name)
    await sleep(300)
    return undefined
  })
}

function spansIn(body: Buffer): CollectedSpan[] {
  const read: Read = Request.toObject(Request.decode(body), { longs: String })
  return (read.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) => {
    const service = valuesOf(resource?.attributes)['service.name']
    return scopeSpans.flatMap(({ spans = [] }) => spans.map(span => ({ ...spanOf(span), service })))
  })
}

const spanOf = ({ traceId, spanId, parentSpanId, name, kind, attributes, status }: ReadSpan) => ({
  traceId: hex(traceId),
  spanId: hex(spanId),
  parentId: parentSpanId?.length ? hex(parentSpanId) : undefined,
  name,
  kind,
  attributes: valuesOf(attributes),
  isError: status?.code === 2,
})

const hex = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('hex')

const valuesOf = (pairs: Pair[] = []): Record<string, Value> =>
  Object.fromEntries(
    pairs.map(({ key, value = {} }) => [
      key,
      'intValue' in value ? Number(value.intValue) : (Object.values(value)[0] ?? ''),
    ]),
  )
