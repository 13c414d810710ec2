// Packs and unpacks the lists of an extract's results.
import { idOf } from './extracts.js'

/** A result in the list of a definition. */
export interface Entry {
  submittedAt: Date
  instanceId: string
  /** Size of its documents. */
  bytes: number
}

/** Number of results in a row of form_extract_results. */
export const entriesOfChunk = 1_000

/** Lengths of the packed fields: time in ms since 1970, id, and size. */
const [timeBytes, idBytes, sizeBytes] = [6, 16, 4]
const entryBytes = timeBytes + idBytes + sizeBytes

/** Packs entries into 26 bytes each. */
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

/** Unpacks entries one at a time, because unpacked they take several times as much memory. */
export function* unpacked(chunk: Buffer): Generator<Entry> {
  for (let at = 0; at < chunk.length; at += entryBytes) {
    yield {
      submittedAt: new Date(chunk.readUIntBE(at, timeBytes)),
      instanceId: idOf(chunk.toString('hex', at + timeBytes, at + timeBytes + idBytes)),
      bytes: chunk.readUInt32BE(at + timeBytes + idBytes),
    }
  }
}

/** Compares two entries for sorting: the most recent first, and at the same time the smaller id first. */
export const inOrder = (a: Entry, b: Entry): number =>
  b.submittedAt.getTime() - a.submittedAt.getTime() || (a.instanceId < b.instanceId ? -1 : 1)
