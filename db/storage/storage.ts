// Chooses the storage for subject records and uploads of imports.
import type { Knex } from 'knex'
import type { Config } from '../../runtime/config.js'
import { unavailable } from '../../runtime/problem.js'
import type { FileStorage } from './file-storage.js'
import { mysqlStorage } from './mysql.js'
import { s3Storage } from './s3.js'

/** Where a file is, as its row says. */
export type StorageName = Config['recordStorage']

/** The storages of this installation. */
export interface Storages {
  /** Where new files go. */
  current: StorageName
  /** The one that a file was written to. @throws Problem 503 where it is not configured any more. */
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
