import type { Knex } from 'knex'
import type { Config } from '../../runtime/config.js'
import { unavailable } from '../../runtime/problem.js'
import type { TenantId } from '../connect.js'
import { mysqlStorage } from './mysql.js'
import { s3Storage } from './s3.js'

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

export type StorageName = Config['recordStorage']

/** The storages of this installation. */
export interface Storages {
  /** Where new files go. */
  current: StorageName
  /** The one that a file was written to. @throws Problem 503 where it is not configured any more. */
  of(name: StorageName): FileStorage
}

export function createStorages(db: Knex, { recordStorage, s3 }: Pick<Config, 'recordStorage' | 's3'>): Storages {
  const all = { mysql: mysqlStorage(db), s3: s3 && s3Storage(s3) }
  return {
    current: recordStorage,
    of(name) {
      const storage = all[name]
      if (!storage) throw unavailable('The file storage', new Error(`The storage ${name} is not configured`))
      return storage
    },
  }
}
