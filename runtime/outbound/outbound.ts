// Makes outbound HTTP calls under the outbound rules, with limits on time and size.
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { SpanKind } from '@opentelemetry/api'
import { Agent, type Dispatcher, request } from 'undici'
import { inSpan } from '../observe/tracing.js'
import { OutboundFailed, outboundRules, type Resolve } from './outbound-rules.js'

export { OutboundFailed } from './outbound-rules.js'

const connectTimeoutMs = 10_000
const maxRedirects = 3
/** Limits of the guarded `fetch`, which reads metadata, key sets and tokens. */
const fetchLimits = { timeoutMs: 10_000, maxBytes: 1024 * 1024 }

export interface OutboundRequest {
  method: string
  /** Absolute URL. */
  url: string
  headers?: Record<string, string>
  body?: string | Uint8Array | undefined
  /** Time for the whole call, including redirects, until the last byte of the answer. */
  timeoutMs: number
  /** Maximum size of the answer's body after decompression. */
  maxBytes: number
  /** Whether to follow redirects (at most 3, to the same origin) or to return them as the answer. */
  redirect?: 'follow' | 'manual'
  signal?: AbortSignal | undefined
}

export interface OutboundAnswer {
  status: number
  /** Keyed by lower-case name. Repeated headers are joined by commas. */
  headers: Record<string, string>
  /** The decompressed body. */
  body: Buffer
  /** True if the answer comes from the target of a redirect. */
  isRedirected: boolean
}

/** The only way to call URLs that tenants configure: providers, token endpoints, identity authorities. */
export interface Outbound {
  /**
   * Sends a request. @throws OutboundFailed, which names the rule or the failure. @throws the signal's reason if the
   * caller aborts.
   */
  send(request: OutboundRequest): Promise<OutboundAnswer>
  /** Sends a request as `fetch` does, for libraries that need one. Limited to 10 s and 1 MB. */
  fetch: typeof fetch
  /** Closes the pooled connections. */
  close(): Promise<void>
}

/**
 * Creates the client for outbound calls. It only calls https at public addresses, rejects credentials in URLs and
 * follows redirects within one origin. A name is resolved once for each connection, which then uses the addresses that
 * were checked.
 * @param options.allow the operator's exceptions (OUTBOUND_ALLOW), which may be called over http and at private
 * addresses.
 */
export function createOutbound(options: { allow: readonly string[]; resolve?: Resolve }): Outbound {
  const rules = outboundRules(options.allow, options.resolve)
  const agentWith = (lookup: typeof rules.openLookup) => new Agent({ connect: { lookup, timeout: connectTimeoutMs } })
  const guarded = agentWith(rules.guardedLookup)
  const open = agentWith(rules.openLookup)

  async function send(wanted: OutboundRequest): Promise<OutboundAnswer> {
    wanted.signal?.throwIfAborted()
    const first = urlOf(wanted.url)
    return inSpan(wanted.method, { kind: SpanKind.CLIENT, attributes: attributesOf(wanted, first) }, async span => {
      const answer = await sendTo(wanted, first)
      span?.setAttribute('http.response.status_code', answer.status)
      return answer
    })
  }

  async function sendTo(wanted: OutboundRequest, first: URL): Promise<OutboundAnswer> {
    const giveUp = new AbortController()
    let isSent = false
    const onSent = () => {
      isSent = true
    }
    const timer = setTimeout(() => giveUp.abort(timedOut(first, wanted.timeoutMs, isSent)), wanted.timeoutMs)
    const cancel = () => giveUp.abort(wanted.signal?.reason)
    wanted.signal?.addEventListener('abort', cancel, { once: true })
    // The library ignores the signal until it is connected, so the signal is raced against the call.
    const gaveUp = new Promise<never>((_, reject) => {
      giveUp.signal.addEventListener('abort', () => reject(giveUp.signal.reason), { once: true })
    })
    try {
      return await Promise.race([follow(wanted, first, giveUp.signal, onSent), gaveUp])
    } catch (error) {
      if (giveUp.signal.aborted) throw giveUp.signal.reason
      throw failed(first, error, isSent)
    } finally {
      clearTimeout(timer)
      wanted.signal?.removeEventListener('abort', cancel)
    }
  }

  async function follow(
    wanted: OutboundRequest,
    first: URL,
    signal: AbortSignal,
    onSent: () => void,
  ): Promise<OutboundAnswer> {
    let { method, body } = wanted
    const noteSent = sentNoter(onSent)
    let url = first
    for (let redirects = 0; ; redirects++) {
      const dispatcher = (rules.check(url) ? open : guarded).compose(noteSent)
      const headers = { 'accept-encoding': 'gzip, deflate, br', ...lowerCase(wanted.headers) }
      // Our own timer covers all phases.
      const limits = { headersTimeout: 0, bodyTimeout: 0 }
      const answer = await request(url, { method, headers, body: body ?? null, dispatcher, signal, ...limits })
      const next = wanted.redirect === 'manual' ? undefined : redirectOf(answer, url)
      if (!next) {
        const { headers, body } = await read(answer, url, wanted.maxBytes)
        return { status: answer.statusCode, headers, body, isRedirected: redirects > 0 }
      }
      await answer.body.dump({ limit: 64 * 1024 })
      if (next.origin !== first.origin) throw new OutboundFailed('redirect', `${first.host} redirects to another host`)
      if (redirects === maxRedirects) throw new OutboundFailed('redirect', `${first.host} redirects again and again`)
      // Like browsers: only 307 and 308 repeat the request unchanged.
      if (answer.statusCode === 303 || (answer.statusCode < 303 && method === 'POST')) {
        method = method === 'HEAD' ? 'HEAD' : 'GET'
        body = undefined
      }
      url = next
    }
  }

  return {
    send,
    async fetch(input, init) {
      const asked = new Request(input, init)
      const answer = await send({
        method: asked.method,
        url: asked.url,
        headers: Object.fromEntries(asked.headers),
        body: asked.body ? Buffer.from(await asked.arrayBuffer()) : undefined,
        redirect: asked.redirect === 'follow' ? 'follow' : 'manual',
        signal: init?.signal ?? undefined,
        ...fetchLimits,
      })
      const hasNoBody = [204, 205, 304].includes(answer.status)
      return new Response(hasNoBody ? null : new Uint8Array(answer.body), answer)
    },
    async close() {
      await Promise.all([guarded.close(), open.close()])
    },
  }
}

/** Returns the attributes of a call's span. Path and query are left out because they may contain personal data. */
const attributesOf = ({ method }: OutboundRequest, { protocol, hostname, port }: URL) => ({
  'http.request.method': method,
  'url.scheme': protocol.slice(0, -1),
  'server.address': hostname,
  'server.port': Number(port || (protocol === 'http:' ? 80 : 443)),
})

/** Calls `onSent` when a request is handed to a connection. Before that, no part of it can have reached the server. */
const sentNoter =
  (onSent: () => void): Dispatcher.DispatcherComposeInterceptor =>
  dispatch =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart(...started) {
        onSent()
        handler.onRequestStart?.(...started)
      },
      onResponseStart: (...answer) => handler.onResponseStart?.(...answer),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...failure) => handler.onResponseError?.(...failure),
    })

/** Returns the target of a redirect, or undefined if the answer is not a redirect. */
function redirectOf({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  const { location } = headers
  if (![301, 302, 303, 307, 308].includes(statusCode) || typeof location !== 'string') return undefined
  if (!URL.canParse(location, from.href))
    throw new OutboundFailed('redirect', `${from.host} redirects to what is no URL`)
  return new URL(location, from)
}

/** Reads an answer to its end. Stops reading from the connection and throws as soon as the answer is too large. */
async function read(
  { headers, body }: Dispatcher.ResponseData,
  { host }: URL,
  maxBytes: number,
): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const tooLarge = () => new OutboundFailed('too-large', `${host}: the answer is larger than ${maxBytes} bytes`)
  const chunks: Buffer[] = []
  let length = 0
  try {
    if (Number(headers['content-length']) > maxBytes) throw tooLarge()
    for await (const chunk of unpacked(body, String(headers['content-encoding'] ?? 'identity'), host)) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    // The rest of the answer is unread, so the connection cannot be reused.
    body.on('error', () => undefined).destroy()
    throw error
  }
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'string' ? value : value.join(', ')] as const],
  )
  return { headers: Object.fromEntries(texts), body: Buffer.concat(chunks) }
}

function unpacked(body: Readable, encoding: string, host: string): Readable {
  const unpack = {
    identity: undefined,
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }
  const name = encoding.trim().toLowerCase()
  if (!isOneOf(unpack, name))
    throw new OutboundFailed('encoding', `${host}: the answer has an encoding that was not asked for`)
  const unpacker = unpack[name]?.()
  // Errors surface at the reader of the decompressed stream; none are handled here.
  return unpacker ? pipeline(body, unpacker, () => undefined) : body
}

const isOneOf = <T extends object>(all: T, name: PropertyKey): name is keyof T => Object.hasOwn(all, name)

const lowerCase = (headers: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw new OutboundFailed('url', 'The address is no URL')
  return new URL(text)
}

const timedOut = ({ host }: URL, ms: number, isSent: boolean) =>
  new OutboundFailed('timeout', `${host} took longer than ${ms / 1000} s`, isSent)

/** Codes of undici for headers or bodies that HTTP cannot carry. */
const unsendable = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'])

/**
 * Converts any error to OutboundFailed. Only the code of a system error is kept, because its message contains
 * addresses, and messages of parsers quote the answer.
 */
function failed({ host }: URL, error: unknown, isSent: boolean): OutboundFailed {
  if (error instanceof OutboundFailed) return error
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unforeseen'
  if (unsendable.has(code)) return new OutboundFailed('request', `${host}: no request can be made of this (${code})`)
  return new OutboundFailed('network', `${host}: the call failed (${code})`, isSent)
}
