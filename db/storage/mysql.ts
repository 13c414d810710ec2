// Stores files in the database, in rows of limited size.
import type { Knex } from 'knex'
import type { FileKey, FileStorage } from './file-storage.js'

/** Bytes per row. The statement has twice as many characters, still far below `max_allowed_packet`. */
const chunkBytes = 1024 * 1024

/** Creates a storage in the database, so that files are part of the same backup as everything else. */
export function mysqlStorage(db: Knex): FileStorage {
  const chunks = ({ tenantId, fileId }: FileKey) => db('file_chunks').where({ tenant_id: tenantId, file_id: fileId })
  const chunk = (key: FileKey, n: number): Promise<{ bytes: Buffer } | undefined> =>
    chunks(key).where({ n }).first('bytes')
  return {
    async write({ tenantId, fileId }, content) {
      let n = 0
      for await (const bytes of inChunks(content)) {
        await db('file_chunks').insert({ tenant_id: tenantId, file_id: fileId, n: n++, bytes })
      }
    },

    async read(key, from = 0) {
      const first = Math.floor(from / chunkBytes)
      let next = await chunk(key, first)
      if (!next) throw new Error(`The file ${key.fileId} has no content at ${from}`)
      return (async function* () {
        for (let n = first; next; next = await chunk(key, ++n))
          yield n === first ? next.bytes.subarray(from % chunkBytes) : next.bytes
      })()
    },

    async remove(key) {
      await chunks(key).delete()
    },
  }
}

/** Regroups bytes into buffers of one size; only the last may be smaller. */
async function* inChunks(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let size = 0
  for await (let piece of content) {
    while (size + piece.length >= chunkBytes) {
      const rest = chunkBytes - size
      yield Buffer.concat([...pieces, piece.subarray(0, rest)])
      piece = piece.subarray(rest)
      pieces = []
      size = 0
    }
    pieces.push(piece)
    size += piece.length
  }
  if (size > 0) yield Buffer.concat(pieces)
}
