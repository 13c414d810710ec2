// Uploads of imports: their rows and files.
import type { Knex } from 'knex'
import { conflict } from '../../../runtime/problem.js'
import type { TenantId } from '../../connect.js'
import { openStatuses } from '../../jobs/jobs.js'
import { type FileKey, keepFile } from '../../storage/file-storage.js'
import type { StorageName, Storages } from '../../storage/storage.js'

/**
 * Uploads of one tenant's imports: `begin`, `keep` for the bytes, and `assign` in the transaction that accepts the job.
 * After a failure `discard` removes all of it. `unneededUploads` finds the uploads of killed processes.
 */
export const importFiles = (db: Knex, storages: Storages, tenant: TenantId) => {
  const rows = (in_: Knex | Knex.Transaction = db) => in_('import_files').where({ tenant_id: tenant })
  const fileOf = (id: string): FileKey => ({ tenantId: tenant, fileId: id, kind: 'import' })

  return {
    async begin(id: string, actor: string): Promise<void> {
      const row = { tenant_id: tenant, id, actor, created_at: new Date() }
      await db('import_files').insert({ ...row, state: 'uploading', storage: storages.current })
    },

    /** Keeps the bytes as they come. @throws what `content` throws. */
    keep: (id: string, content: AsyncIterable<Buffer>): Promise<{ size: number; sha256: string }> =>
      keepFile(storages.of(storages.current), fileOf(id), content),

    /** Makes it the upload of a job. @throws Error when it was taken for broken off, and discarded. */
    async assign(trx: Knex.Transaction, id: string, jobId: string): Promise<void> {
      const done: number = await rows(trx).where({ id, state: 'uploading' }).update({ state: 'stored', job_id: jobId })
      if (done === 0) throw new Error(`The upload ${id} was discarded before it was complete`)
    },

    /** The upload of a job. @throws Problem 409 where an erasure has removed it. */
    async ofJob(jobId: string): Promise<ImportFile> {
      const file = await rows().where({ job_id: jobId }).first('id', 'storage')
      if (!file) throw conflict('upload-forgotten', 'The upload of this import is not kept any more: upload it again.')
      return file
    },

    /** The bytes of an upload. @param from the first byte that is wanted, below its size. */
    content: ({ id, storage }: ImportFile, from: number): Promise<AsyncIterable<Uint8Array>> =>
      storages.of(storage).read(fileOf(id), from),

    /** Removes what there is of an upload, unless a job has it. The row goes last: it is what finds the bytes. */
    async discard(id: string, storage: StorageName = storages.current): Promise<void> {
      await rows().where({ id, state: 'uploading' }).update({ state: 'discarded' })
      if (!(await rows().where({ id, state: 'discarded' }).first('id'))) return
      await storages.of(storage).remove(fileOf(id))
      await rows().where({ id, state: 'discarded' }).delete()
    },

    /** Removes an upload whose job needs it no more, and what was noted of its rows. */
    async forget({ id, storage }: ImportFile): Promise<void> {
      await rows().where({ id, state: 'stored' }).update({ state: 'discarded' })
      for (const table of tablesOfUploads) {
        const some = () => db(table).where({ tenant_id: tenant, file_id: id }).limit(rowsAtOnce).delete()
        while ((await some()) > 0) {
          // Some more.
        }
      }
      await this.discard(id, storage)
    },
  }
}

export interface ImportFile {
  id: string
  storage: StorageName
}

/** Uploads of a tenant whose imports have ended: kept for a retry, or until they are forgotten. */
export const keptUploads = (db: Knex, tenant: TenantId): Promise<ImportFile[]> =>
  db('import_files as f')
    .leftJoin('jobs as j', join => join.on('j.tenant_id', 'f.tenant_id').on('j.id', 'f.job_id'))
    .where('f.tenant_id', tenant)
    .whereIn('f.state', ['stored', 'discarded'])
    .where(over => over.whereNull('j.id').orWhereNotIn('j.status', [...openStatuses]))
    .select('f.id', 'f.storage')

/** Tables with rows of an upload, under its `file_id`. */
const tablesOfUploads = ['import_keys']

/** Rows of one statement that forgets them: no lock is held for long. */
const rowsAtOnce = 10_000

export interface UnneededUpload extends ImportFile {
  tenant_id: TenantId
}

/**
 * Uploads of all tenants that began more than `olderThanMs` ago and never ended, and those of completed or deleted
 * jobs. At most a hundred.
 */
export const unneededUploads = (db: Knex, olderThanMs: number): Promise<UnneededUpload[]> =>
  db('import_files as f')
    .leftJoin('jobs as j', join => join.on('j.tenant_id', 'f.tenant_id').on('j.id', 'f.job_id'))
    .whereIn('f.tenant_id', db('tenants').select('id'))
    .where(any =>
      any
        .where(begun =>
          begun.whereNot('f.state', 'stored').where('f.created_at', '<', new Date(Date.now() - olderThanMs)),
        )
        .orWhere(stored =>
          stored.where('f.state', 'stored').where(over => over.whereNull('j.id').orWhere('j.status', 'Completed')),
        ),
    )
    .limit(100)
    .select('f.tenant_id', 'f.id', 'f.storage')
