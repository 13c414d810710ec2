// Stores the uploads of imports.
import type { Knex } from 'knex'
import { conflict } from '../../../runtime/problems/problem.js'
import { ago, now } from '../../clock.js'
import type { TenantId } from '../../connect.js'
import { openStatuses } from '../../jobs/job-row.js'
import { type FileKey, saveFile } from '../../storage/file-storage.js'
import type { StorageName, Storages } from '../../storage/storage.js'
import { activeTenants } from '../../tenant-states.js'

/**
 * Stores the uploads of one tenant's imports. For each upload, call `begin`, then `keep` with the bytes, then `assign` in the
 * transaction that accepts the job; if anything fails, call `discard`. {@link unneededUploads} finds uploads whose process was killed.
 */
export const importFiles = (db: Knex, storages: Storages, tenant: TenantId) => {
  const rows = (in_: Knex | Knex.Transaction = db) => in_('import_files').where({ tenant_id: tenant })
  const fileOf = (id: string): FileKey => ({ tenantId: tenant, fileId: id, kind: 'import' })

  return {
    async begin(id: string, actor: string): Promise<void> {
      const row = { tenant_id: tenant, id, actor, created_at: now(db) }
      await db('import_files').insert({ ...row, state: 'uploading', storage: storages.current })
    },

    /** Stores the bytes while they arrive. Rethrows whatever `content` throws. */
    keep: (id: string, content: AsyncIterable<Buffer>): Promise<{ size: number; sha256: string }> =>
      saveFile(storages.of(storages.current), fileOf(id), content),

    /** Assigns an upload to its job. @throws Error when the upload was mistaken for a broken one and has been discarded. */
    async assign(trx: Knex.Transaction, id: string, jobId: string): Promise<void> {
      const done: number = await rows(trx).where({ id, state: 'uploading' }).update({ state: 'stored', job_id: jobId })
      if (done === 0) throw new Error(`The upload ${id} was discarded before it was complete`)
    },

    /** Finds the upload of a job. @throws Problem 409 if it is gone, because an erasure of a subject removed it. */
    async ofJob(jobId: string): Promise<ImportFile> {
      const file = await rows().where({ job_id: jobId }).first('id', 'storage')
      if (!file)
        throw conflict('upload-forgotten', 'The upload of this import is no longer stored. Upload the file again.')
      return file
    },

    /** Reads the bytes of an upload. @param from offset of the first byte to read; must be less than the size. */
    content: ({ id, storage }: ImportFile, from: number): Promise<AsyncIterable<Uint8Array>> =>
      storages.of(storage).read(fileOf(id), from),

    /**
     * Removes the bytes and the row of an upload, unless it belongs to a job. The row is deleted last: without it nobody would find
     * bytes that are left over when this fails halfway.
     */
    async discard(id: string, storage: StorageName = storages.current): Promise<void> {
      await rows().where({ id, state: 'uploading' }).update({ state: 'discarded' })
      if (!(await rows().where({ id, state: 'discarded' }).first('id'))) return
      await storages.of(storage).remove(fileOf(id))
      await rows().where({ id, state: 'discarded' }).delete()
    },

    /** Removes an upload that its job does not need any more, together with what was stored about its rows. */
    async forget({ id, storage }: ImportFile): Promise<void> {
      await rows().where({ id, state: 'stored' }).update({ state: 'discarded' })
      for (const table of tablesOfUploads) {
        const deleteSome = () => db(table).where({ tenant_id: tenant, file_id: id }).limit(rowsAtOnce).delete()
        while ((await deleteSome()) > 0) {
          // Repeats until no row is left.
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

/** Finds the uploads of a tenant whose imports have ended. They were kept for a retry, or have not been removed yet. */
export const keptUploads = (db: Knex, tenant: TenantId): Promise<ImportFile[]> =>
  db('import_files as f')
    .leftJoin('jobs as j', join => join.on('j.tenant_id', 'f.tenant_id').on('j.id', 'f.job_id'))
    .where('f.tenant_id', tenant)
    .whereIn('f.state', ['stored', 'discarded'])
    .where(over => over.whereNull('j.id').orWhereNotIn('j.status', [...openStatuses]))
    .select('f.id', 'f.storage')

/** The tables with rows about an upload, found by `file_id`. */
const tablesOfUploads = ['import_keys']

/** How many rows one statement deletes, so that no lock is held for long. */
const rowsAtOnce = 10_000

export interface UnneededUpload extends ImportFile {
  tenant_id: TenantId
}

/**
 * Finds uploads of active tenants that can be removed: those that began more than `olderThanMs` ago and were never assigned to a job, and
 * those whose job is completed or deleted. Returns at most 100.
 */
export const unneededUploads = (db: Knex, olderThanMs: number): Promise<UnneededUpload[]> =>
  db('import_files as f')
    .leftJoin('jobs as j', join => join.on('j.tenant_id', 'f.tenant_id').on('j.id', 'f.job_id'))
    .whereIn('f.tenant_id', activeTenants(db))
    .where(any =>
      any
        .where(begun => begun.whereNot('f.state', 'stored').where('f.created_at', '<', ago(db, olderThanMs)))
        .orWhere(stored =>
          stored.where('f.state', 'stored').where(over => over.whereNull('j.id').orWhere('j.status', 'Completed')),
        ),
    )
    .limit(100)
    .select('f.tenant_id', 'f.id', 'f.storage')
