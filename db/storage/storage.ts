// Chooses the storage for subject records.
import type { Knex } from 'knex'
import type { Config } from '../../runtime/config.js'
import { unavailable } from '../../runtime/problem.js'
import type { TenantId } from '../connect.js'
import type { FileStorage } from './file-storage.js'
import { mysqlStorage } from './mysql.js'
import { s3Storage } from './s3.js'

type OwnStorage = Config['recordStorage']

/** As rows have it. `s3/7` is a file in S3 of a tenant that has moved: 7 was its number in the cell that wrote the file. */
export type StorageName = OwnStorage | `s3/${TenantId}`

/** The storages of this installation. */
export interface Storages {
  /** Where new files go. */
  current: OwnStorage
  /** The one that a file was written to. @throws Problem 503 where it is not configured any more. */
  of(name: StorageName): FileStorage
}

export function createStorages(db: Knex, { recordStorage, s3 }: Pick<Config, 'recordStorage' | 's3'>): Storages {
  const mysql = mysqlStorage(db)
  const inS3 = s3 && s3Storage(s3)
  return {
    current: recordStorage,
    of(name) {
      const [, named] = name.split('/')
      const storage = name === 'mysql' ? mysql : inS3?.(named === undefined ? undefined : Number(named))
      if (!storage) throw unavailable('The file storage', new Error(`The storage ${name} is not configured`))
      return storage
    },
  }
}
