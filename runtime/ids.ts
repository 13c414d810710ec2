// Ids that the platform issues (UUIDv7).
import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

/** Random bytes of the next ids: to draw those of one takes longer than all else of it. */
const random = new Uint8Array(16 * 256)
let drawn = random.length

/** Time and number of the last id (RFC 9562, 6.2, method 1). */
let msecs = 0
let seq = 0

/** A new server-issued id: UUIDv7 text, so that ids sort by the time they were made, those of one millisecond too. */
export function newId(): string {
  if (drawn === random.length) {
    randomFillSync(random)
    drawn = 0
  }
  const own = random.subarray(drawn, drawn + 16)
  drawn += 16
  const now = Date.now()
  // As the library numbers ids where it draws their bytes itself.
  if (now > msecs) {
    msecs = now
    seq = new DataView(own.buffer, own.byteOffset).getUint32(6) >>> 1
  } else {
    seq = (seq + 1) | 0
    if (seq === 0) msecs++
  }
  return v7({ random: own, msecs, seq })
}

/** True for a text that has the form of an id. Others name nothing, and the database does not compare letters that no id has. */
export const isId = (text: string): boolean => /^[\da-f-]{36}$/.test(text)

/** When such an id was made: its first 48 bits are the milliseconds (RFC 9562, 5.7). */
export const idTime = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))
