// Streamed and compressed response bodies.
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Context } from 'koa'
import type { Log } from '../runtime/log.js'

/**
 * Turns a generated body into a stream. An error before the first block is thrown, and answered as any error. A later
 * error is logged and aborts the response, so that nobody takes a part for the whole.
 */
export async function begun(blocks: AsyncIterable<Buffer>, log: Log): Promise<Readable> {
  const iterator = blocks[Symbol.asyncIterator]()
  const first = await iterator.next()
  return Readable.from(following(first, iterator, log), { highWaterMark: 2 })
}

async function* following(first: IteratorResult<Buffer>, iterator: AsyncIterator<Buffer>, log: Log) {
  const failed = (error: unknown) => {
    log.error({ err: error }, 'answer broken off')
    throw error
  }
  try {
    // A caller that goes away is no failure: it ends this at the `yield`.
    for (let next = first; !next.done; next = await iterator.next().catch(failed)) yield next.value
  } finally {
    await iterator.return?.()
  }
}

/**
 * Compresses a stream with gzip where the caller accepts it. The low level costs less time than a fast network saves.
 * koa-compress is not used: with it, a response whose stream fails never ends.
 */
export function compress(ctx: Context, stream: Readable): void {
  ctx.vary('Accept-Encoding')
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = stream
    return
  }
  ctx.set('Content-Encoding', 'gzip')
  // The reader of the second stream also gets the errors of the first.
  ctx.body = pipeline(stream, createGzip({ level: 1 }), () => undefined)
}
