// The interface of a storage for files.
import type { TenantId } from '../connect.js'

/** A file of a tenant. */
export interface FileKey {
  tenantId: TenantId
  fileId: string
}

/** Where the bytes of files are. Neither way is a file ever whole in memory. */
export interface FileStorage {
  /** Takes the content piece by piece, no faster than it can be kept. Where it fails, `remove` clears what was kept. */
  write(key: FileKey, content: AsyncIterable<Buffer>): Promise<void>
  /** Resolves when the file is found; its bytes are read as they are taken. */
  read(key: FileKey): Promise<AsyncIterable<Uint8Array>>
  /** Removes the file, or the part of it that was written; nothing there is no error. */
  remove(key: FileKey): Promise<void>
}
