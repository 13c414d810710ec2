// Streams and compresses response bodies.
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Context } from 'koa'
import type { Log } from '../runtime/observe/log.js'

/**
 * Turns a generated body into a stream. An error before the first block is thrown and answered as usual. A later error
 * is logged and aborts the response, so that nobody takes a part for the whole.
 */
export async function begun(blocks: AsyncIterable<Buffer>, log: Log): Promise<Readable> {
  const iterator = blocks[Symbol.asyncIterator]()
  const first = await iterator.next()
  return Readable.from(remainingBlocks(first, iterator, log), { highWaterMark: 2 })
}

async function* remainingBlocks(first: IteratorResult<Buffer>, iterator: AsyncIterator<Buffer>, log: Log) {
  const failed = (error: unknown) => {
    log.error({ err: error }, 'an answer was aborted')
    throw error
  }
  try {
    // A caller that disconnects is no failure; it ends this generator at the `yield`.
    for (let next = first; !next.done; next = await iterator.next().catch(failed)) yield next.value
  } finally {
    await iterator.return?.()
  }
}

/**
 * Compresses a stream with gzip if the caller accepts it. At the lowest level, compression takes less time than it
 * saves even on a fast network. koa-compress is not used because with it, a response whose stream fails never ends.
 */
export function compress(ctx: Context, stream: Readable): void {
  ctx.vary('Accept-Encoding')
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = stream
    return
  }
  ctx.set('Content-Encoding', 'gzip')
  // `pipeline` passes errors of the first stream on to readers of the second.
  ctx.body = pipeline(stream, createGzip({ level: 1 }), () => undefined)
}
