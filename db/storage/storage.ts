// Chooses the storage for documents in subject records and for uploaded import files.
import type { Knex } from 'knex'
import { unavailable } from '../../runtime/problems/problem.js'
import type { Config } from '../../runtime/settings/config.js'
import type { FileStorage } from './file-storage.js'
import { mysqlStorage } from './mysql.js'
import { s3Storage } from './s3.js'

/** The name of a storage, as a file's row stores it. */
export type StorageName = Config['recordStorage']

/** The storages of this installation. */
export interface Storages {
  /** Where new files are written. */
  current: StorageName
  /**
   * Returns the storage of an existing file.
   * @throws Problem 503 if it is no longer configured.
   */
  of(name: StorageName): FileStorage
}

export function createStorages(db: Knex, { recordStorage, s3 }: Pick<Config, 'recordStorage' | 's3'>): Storages {
  const storages = { mysql: mysqlStorage(db), s3: s3 && s3Storage(s3) }
  return {
    current: recordStorage,
    of(name) {
      const storage = storages[name]
      if (!storage) throw unavailable('The file storage', new Error(`The storage ${name} is not configured`))
      return storage
    },
  }
}
