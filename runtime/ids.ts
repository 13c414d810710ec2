// Creates and reads the ids that the platform issues (UUIDv7).
import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

/** Random bytes for the next 256 ids. Drawing 16 bytes at a time would cost more than the rest of making an id. */
const random = new Uint8Array(16 * 256)
let drawn = random.length

/** Timestamp and counter of the last id (RFC 9562, 6.2, method 1). */
let msecs = 0
let seq = 0

/** Creates an id as UUIDv7 text. Ids sort by the time of their creation, even within one millisecond. */
export function newId(): string {
  if (drawn === random.length) {
    randomFillSync(random)
    drawn = 0
  }
  const own = random.subarray(drawn, drawn + 16)
  drawn += 16
  const now = Date.now()
  // Mirrors what the uuid library does when it draws the bytes itself.
  if (now > msecs) {
    msecs = now
    seq = new DataView(own.buffer, own.byteOffset).getUint32(6) >>> 1
  } else {
    seq = (seq + 1) | 0
    if (seq === 0) msecs++
  }
  return v7({ random: own, msecs, seq })
}

/**
 * Tells whether a text may be an id. Callers check before they query: any other text names nothing, and the database
 * would compare it by its collation.
 */
export const isId = (text: string): boolean => /^[\da-f-]{36}$/.test(text)

/** Returns the time when an id was created: its first 48 bits are milliseconds (RFC 9562, 5.7). */
export const idTime = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))
