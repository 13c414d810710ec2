// The interface of a storage for files.
import { createHash } from 'node:crypto'
import type { TenantId } from '../connect.js'

/** A file of a tenant. */
export interface FileKey {
  tenantId: TenantId
  fileId: string
  /** A document in the record of a subject, or the rows of an import. */
  kind: 'record' | 'import'
}

/** Where the bytes of files are. Neither way is a file ever whole in memory. */
export interface FileStorage {
  /** Takes the content piece by piece, no faster than it can be kept. Where it fails, `remove` clears what was kept. */
  write(key: FileKey, content: AsyncIterable<Buffer>): Promise<void>
  /**
   * Resolves when the file is found; its bytes are read as they are taken.
   * @param from the first byte that is wanted, below the size of the file.
   */
  read(key: FileKey, from?: number): Promise<AsyncIterable<Uint8Array>>
  /** Removes the file, or the part of it that was written; nothing there is no error. */
  remove(key: FileKey): Promise<void>
}

/** Keeps a file as its bytes come, and tells how many they were, with their SHA-256. @throws what `content` throws. */
export async function keepFile(
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
