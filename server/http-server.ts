// The Node HTTP server: timeouts, and responses to malformed requests.
import { randomUUID } from 'node:crypto'
import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import { badRequest, Problem } from '../runtime/problem.js'
import { stopping } from '../runtime/shutdown.js'

/**
 * How long an idle connection stays open, in ms: longer than load balancers keep theirs (60 s). Otherwise they would send a request
 * on a connection that this end is closing, which no client may repeat unless it is idempotent.
 */
const keepAliveMs = 65_000

/** The HTTP server of an application. Also what Node's parser refuses is answered with a problem document (RFC 9457). */
export function httpServer(app: Koa): Server {
  const server = createServer({ keepAliveTimeout: keepAliveMs }, app.callback())
  /** The last answer on each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.prependListener('request', (request, response) => {
    answers.set(request.socket, response)
    // The caller's next request goes to a process that stays.
    if (stopping.aborted) response.setHeader('Connection', 'close')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = answers.get(socket)
    const isInAnswer = last?.headersSent === true && !last.writableFinished
    if (!socket.writable || error.code === 'ECONNRESET' || isInAnswer) socket.destroy()
    else socket.end(refusal(error.code))
  })
  return server
}

/** By the code of Node's error. */
const refusals: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: new Problem('headers-too-large', 'Send at most 16 KB of headers.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new Problem('body-too-large', 'Send chunks without extensions.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem('request-too-slow', 'Send the request once more.'),
}

const malformed = badRequest('malformed-request', 'The request is no HTTP/1.1 that can be read.')

/** A whole answer, after which the connection ends. The path is not known. */
function refusal(error = ''): string {
  const { status, code, title, message: detail } = refusals[error] ?? malformed
  const traceId = randomUUID()
  const body = JSON.stringify({ type: `/problems/${code}`, title, status, detail, instance: '/', traceId })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${traceId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
