// The compressed lists of results of an extract.
import { idOf } from './extracts.js'

/** A result in the list of a definition. */
export interface Entry {
  submittedAt: Date
  instanceId: string
  /** Of its documents. */
  bytes: number
}

/** Results of one row of form_extract_results. */
export const entriesOfChunk = 1_000

/** Milliseconds since 1970, the id, and the size. */
const [timeBytes, idBytes, sizeBytes] = [6, 16, 4]
const entryBytes = timeBytes + idBytes + sizeBytes

/** The entries in 26 bytes each. */
export function packed(entries: readonly Entry[]): Buffer {
  const all = Buffer.allocUnsafe(entries.length * entryBytes)
  let at = 0
  for (const { submittedAt, instanceId, bytes } of entries) {
    all.writeUIntBE(submittedAt.getTime(), at, timeBytes)
    all.write(instanceId.replaceAll('-', ''), at + timeBytes, 'hex')
    all.writeUInt32BE(bytes, at + timeBytes + idBytes)
    at += entryBytes
  }
  return all
}

/** The entries one after the other: unpacked they take several times as much memory. */
export function* unpacked(chunk: Buffer): Generator<Entry> {
  for (let at = 0; at < chunk.length; at += entryBytes) {
    yield {
      submittedAt: new Date(chunk.readUIntBE(at, timeBytes)),
      instanceId: idOf(chunk.toString('hex', at + timeBytes, at + timeBytes + idBytes)),
      bytes: chunk.readUInt32BE(at + timeBytes + idBytes),
    }
  }
}

/** Most recent first, and of those at the same time the one with the smaller id. */
export const inOrder = (a: Entry, b: Entry): number =>
  b.submittedAt.getTime() - a.submittedAt.getTime() || (a.instanceId < b.instanceId ? -1 : 1)
