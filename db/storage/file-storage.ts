// The interface of a storage for files, and a way to measure a file while it is stored.
import { createHash } from 'node:crypto'
import type { TenantId } from '../connect.js'

/** Identifies a file of a tenant. */
export interface FileKey {
  tenantId: TenantId
  fileId: string
  /** A document in a subject's record, or an uploaded file of an import. */
  kind: 'record' | 'import'
}

/** Stores the content of files. Files are streamed and never held in memory as a whole. */
export interface FileStorage {
  /**
   * Writes the content, reading it no faster than it can be stored. After a failure, `remove` deletes what was written.
   */
  write(key: FileKey, content: AsyncIterable<Buffer>): Promise<void>
  /**
   * Opens a file. Resolves when it is found; its bytes are then read as they are consumed.
   * @param from position of the first byte, which must be below the file's size.
   */
  read(key: FileKey, from?: number): Promise<AsyncIterable<Uint8Array>>
  /** Removes a file, or what was written of it. It is no error if there is nothing. */
  remove(key: FileKey): Promise<void>
}

/**
 * Stores a file while its bytes arrive. Returns their number and their SHA-256.
 * @throws any error of `content`.
 */
export async function saveFile(
  storage: FileStorage,
  key: FileKey,
  content: AsyncIterable<Buffer>,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  await storage.write(
    key,
    (async function* () {
      for await (const piece of content) {
        hash.update(piece)
        size += piece.length
        yield piece
      }
    })(),
  )
  return { size, sha256: hash.digest('hex') }
}
