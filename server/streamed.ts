import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Context } from 'koa'
import type { Log } from '../runtime/log.js'

/**
 * A body that is made while it is sent, as a stream. What fails before there is anything to send is thrown, and answered as any
 * failure; what fails later is logged and breaks the answer off, so that nobody takes a part of it for the whole.
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
 * Sends a stream in gzip, where the caller takes that; at a level that costs less time than a fast network saves. (koa-compress
 * was looked at: with it, an answer whose stream fails never ends.)
 */
export function compress(ctx: Context, stream: Readable): void {
  ctx.vary('Accept-Encoding')
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = stream
    return
  }
  ctx.set('Content-Encoding', 'gzip')
  // Whoever reads the second learns what happens to the first.
  ctx.body = pipeline(stream, createGzip({ level: 1 }), () => undefined)
}
