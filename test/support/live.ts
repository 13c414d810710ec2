// Watches an answer of the API, as server-sent events.
import { inject, onTestFinished } from 'vitest'
import type { Api } from './api.js'

/** An event: the answer as it is now, or the problem with which the stream ends. */
export interface LiveEvent {
  name: string
  data: unknown
}

/** Asks for events of a path. The connection is closed when the test ends. */
export function watch(
  { token }: Pick<Api, 'token'>,
  path: string,
  { baseUrl = inject('baseUrl'), headers = {} }: { baseUrl?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const end = new AbortController()
  onTestFinished(() => end.abort())
  return fetch(new URL(path, baseUrl), {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
    signal: end.signal,
  })
}

/** Yields the events of an answer, until the server ends it. */
export async function* eventsOf({ body }: Response): AsyncGenerator<LiveEvent> {
  if (!body) throw new Error('The answer has no body')
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s)))
      if (fields.data) yield { name: fields.event ?? 'message', data: JSON.parse(fields.data) }
    }
  }
}
