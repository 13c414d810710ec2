// Request bodies: small ones are kept so that they can be sent again, others are passed on as they arrive.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** Most bytes of a body that are kept. */
const mostKept = 64 * 1024

/** The body of a request. */
export type KeptBody =
  /** All of it. */
  | { whole: Buffer; stream?: undefined }
  /** Can be read once. */
  | { whole?: undefined; stream: Readable }

/** Reads a body to its end, or to the limit. @throws the request's error where its caller breaks off. */
export async function keptBody(request: IncomingMessage): Promise<KeptBody> {
  const pieces: Buffer[] = []
  let size = 0
  // The request stays open: the answer goes out on its connection.
  const content: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false })
  while (size <= mostKept) {
    const { done, value } = await content.next()
    if (done) return { whole: Buffer.concat(pieces) }
    pieces.push(value)
    size += value.length
  }
  return { stream: Readable.from(withRest(pieces, content), { objectMode: false }) }
}

async function* withRest(pieces: readonly Buffer[], content: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces
  for (;;) {
    const { done, value } = await content.next()
    if (done) return
    yield value
  }
}
