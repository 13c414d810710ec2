// Creates the Node HTTP server, with its timeouts and its responses to malformed requests.
import { randomUUID } from 'node:crypto'
import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import { badRequest, Problem } from '../runtime/problems/problem.js'
import { stopping } from '../runtime/process/shutdown.js'

/**
 * How long an idle connection stays open, in ms. It must be longer than load balancers keep connections (60 s);
 * otherwise they would send requests on connections that this end is closing, and only idempotent ones can be repeated.
 */
const keepAliveMs = 65_000

/**
 * Creates the HTTP server of an application. Requests that Node's parser refuses get a problem document (RFC 9457) too.
 * @param basePath path of the public address; see `basePathOf`.
 */
export function httpServer(app: Koa, basePath: string): Server {
  // The application refuses a missing `Host` with a problem document, in place of Node's empty answer.
  const server = createServer({ keepAliveTimeout: keepAliveMs, requireHostHeader: false }, app.callback())
  /** The latest response on each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.prependListener('request', (request, response) => {
    answers.set(request.socket, response)
    // The caller's next request then goes to a process that keeps running.
    if (stopping.aborted) response.setHeader('Connection', 'close')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = answers.get(socket)
    const isInAnswer = last?.headersSent === true && !last.writableFinished
    if (!socket.writable || error.code === 'ECONNRESET' || isInAnswer) socket.destroy()
    else socket.end(refusalResponse(error.code, basePath))
  })
  return server
}

/** The problem for a code of Node's errors. */
const refusals: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: new Problem('headers-too-large', 'Send at most 16 KB of headers.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new Problem('body-too-large', 'Send chunks without extensions.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem('request-too-slow', 'Send the request once more.'),
}

const malformed = badRequest('malformed-request', 'The request is not valid HTTP/1.1.')

/** Returns a complete response, after which the connection is closed. The path of the request is not known. */
function refusalResponse(error = '', basePath: string): string {
  const { status, code, title, message: detail } = refusals[error] ?? malformed
  const traceId = randomUUID()
  const body = JSON.stringify({
    type: `${basePath}/problems/${code}`,
    title,
    status,
    detail,
    instance: `${basePath}/`,
    traceId,
  })
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
