// Raw HTTP requests and answers, and servers on 127.0.0.1.
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'

interface RawReply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

interface RawRequest {
  method?: string
  headers?: Record<string, string>
  /** The pieces are sent one by one, in chunked encoding unless the headers have a content-length. */
  body?: readonly (string | Buffer)[]
}

/** Sends a request that `fetch` would correct or refuse, for example one with an odd path or odd headers. */
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
 * Writes all bytes before it reads any, as simple clients do. Returns what it receives until the server closes the connection, so the
 * request should have `Connection: close`.
 * @param options.cut hangs up as soon as everything is written, and returns an empty text.
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

/** Makes what a whole problem document is expected to equal; `more` adds or replaces members. */
export const problem = (status: number, code: string, instance: string, more: object = {}) => ({
  type: `/problems/${code}`,
  title: expect.stringMatching(/\S/),
  status,
  detail: expect.stringMatching(/\S/),
  instance,
  traceId: expect.stringMatching(/^[\w.:-]{1,64}$/),
  ...more,
})

/** Pairs up alternating names and values, for the fields of a form or the parameters of a query. */
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

/** Starts a web server in this process, on a free port of 127.0.0.1. */
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

/** Reads a content security policy, by directive. @throws Error unless there is exactly one, which names each directive once. */
export function policyOf(header: string | null | undefined): Record<string, string> {
  if (!header || header.includes(',')) throw new Error(`There is not one policy, but: ${header}`)
  const directives = header.split(';').map(each => {
    const [name = '', ...values] = each.trim().split(/\s+/)
    return [name, values.join(' ')] as const
  })
  // A browser ignores the second directive of a name.
  const policy = Object.fromEntries(directives)
  if (Object.keys(policy).length < directives.length) throw new Error(`A directive is there twice: ${header}`)
  return policy
}

/** What the policy of every page of a form says. @param frameAncestors who may show the page in a frame. */
export const formPolicy = (frameAncestors = "'none'") => ({
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'connect-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': frameAncestors,
})
