// Raw HTTP requests and answers, and servers on 127.0.0.1.
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'

export interface RawReply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

interface RawRequest {
  method?: string
  headers?: Record<string, string>
  /** Pieces are sent one by one; without a content-length among the headers, chunked. */
  body?: readonly (string | Buffer)[]
}

/** Sends a request that fetch would correct or refuse: odd paths, odd headers, bodies in pieces. */
export function send(baseUrl: string, path: string, { method = 'GET', headers = {}, body = [] }: RawRequest = {}) {
  const { hostname, port } = new URL(baseUrl)
  return new Promise<RawReply>((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, agent: false }, answer => {
      text(answer).then(
        content => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: content }),
        reject,
      )
    })
    outgoing.on('error', reject)
    for (const piece of body) outgoing.write(piece)
    outgoing.end()
  })
}

/**
 * Writes every byte before it reads one, as simple clients do, and returns everything that it received until the server
 * closed the connection, for which the request should ask. With `cut`, hangs up when everything is written.
 */
export function sendBytes(baseUrl: string, pieces: Iterable<string | Buffer>, { cut = false } = {}): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.pause()
    socket.on('error', reject)
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (!socket.write(piece)) await new Promise(drained => socket.once('drain', drained))
      }
      if (cut) {
        socket.destroy()
        resolve('')
      } else resolve(await text(socket))
    })
  })
}

/** A whole problem document, for toEqual; `more` adds `errors` or says more. */
export const problem = (status: number, code: string, instance: string, more: object = {}) => ({
  type: `/problems/${code}`,
  title: expect.stringMatching(/\S/),
  status,
  detail: expect.stringMatching(/\S/),
  instance,
  traceId: expect.stringMatching(/^[\w.:-]{1,64}$/),
  ...more,
})

/** Names and values, given one after the other, as pairs: the fields of a form, the parameters of a query. */
export const pairs = (...given: string[]): [name: string, value: string][] =>
  given.flatMap((name, n): [string, string][] => (n % 2 === 0 ? [[name, given[n + 1] ?? '']] : []))

export interface LoopbackServer {
  url: string
  /** host:port, as OUTBOUND_ALLOW names it. */
  host: string
  /** `METHOD path` of every request, in their order. */
  asked: string[]
  stop(): Promise<void>
}

/** A web server of the test's own, on a free port of 127.0.0.1. */
export async function loopbackServer(answer: RequestListener): Promise<LoopbackServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url: `http://${host}`,
    host,
    asked,
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
