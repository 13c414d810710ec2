// Bounds what posted forms hold in memory, so that nobody ends the process by sending many.
import type { Context } from 'koa'
import { addressOf } from './rate-limit.js'

const megabyte = 1024 * 1024
/** How many bytes of each form are not counted. Forms without files have fewer, so they are never refused. */
const free = megabyte
/** The most bytes of forms in memory at once, from all callers and from one address. All people of a hospital may share an address. */
const most = { ofAll: 256 * megabyte, ofAddress: 96 * megabyte }

/** Counts more bytes of a form. Returns false, and counts nothing, if there is no room for them. */
export type Hold = (bytes: number) => boolean

/** Creates a function that begins to count a form. It counts until the request has been answered, or has broken off. */
export function heldForms({ ofAll, ofAddress } = most): (ctx: Context) => Hold {
  let all = 0
  const addresses = new Map<string, number>()
  const at = (address: string) => addresses.get(address) ?? 0
  const count = (address: string, bytes: number) => {
    all += bytes
    if (at(address) + bytes > 0) addresses.set(address, at(address) + bytes)
    else addresses.delete(address)
  }
  return ctx => {
    const address = addressOf(ctx)
    // Negative as long as the form has bytes that are not counted.
    let held = -free
    ctx.res.once('close', () => count(address, -Math.max(0, held)))
    return bytes => {
      const more = Math.max(0, held + bytes) - Math.max(0, held)
      if (all + more > ofAll || at(address) + more > ofAddress) return false
      held += bytes
      count(address, more)
      return true
    }
  }
}
