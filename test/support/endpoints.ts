// Providers that record requests or give prepared answers.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import type { Reply } from './api.js'
import { allowedServer } from './provider.js'

/** A request as a provider received it. */
export interface Seen {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Canned {
  status?: number
  headers?: Record<string, string>
  /** A text as it is, anything else as JSON. */
  body?: unknown
}

/**
 * Starts a provider that records its requests and answers as the test says.
 * @param ports ports that the test's own stack may call, by default those of the shared stack.
 */
export async function recordingProvider(
  answer: (seen: Seen, nth: number) => Canned | Promise<Canned> = () => ({}),
  ports?: readonly number[],
) {
  const server = await allowedServer(ports)
  const seen: Seen[] = []
  server.answer((request, response) => void reply(request, response))
  return { url: server.url, seen, stop: server.stop }

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    const one = { method, path, headers, body: await text(request) }
    seen.push(one)
    const { status = 200, headers: extra = {}, body = { fine: true } } = await answer(one, seen.length)
    const isText = typeof body === 'string' || Buffer.isBuffer(body)
    response.writeHead(status, { ...(isText ? {} : { 'content-type': 'application/json' }), ...extra })
    response.end(isText ? body : JSON.stringify(body))
  }
}

export type Provider = Awaited<ReturnType<typeof recordingProvider>>

/** Reads a response whose body is left as text, for tests of details that JSON.parse would lose. */
export async function rawAnswer(path: string, token = '', baseUrl = inject('baseUrl')): Promise<Reply<string>> {
  const answer = await fetch(new URL(path, baseUrl), { headers: token ? { authorization: `Bearer ${token}` } : {} })
  return { status: answer.status, headers: answer.headers, body: await answer.text() }
}
