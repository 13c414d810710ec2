import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { type FileKey, keepFile } from '../../storage/file-storage.js'
import type { StorageName, Storages } from '../../storage/storage.js'

/** A document in the record of a subject (spec frame "Subject record"). */
export interface RecordItem {
  id: string
  storage: StorageName
  title: string
  effective_date: string
  file_name: string
  size: number
  sha256: string
}

/** What is known of a file once all of it is kept. */
export type KeptFile = Pick<RecordItem, 'file_name' | 'size' | 'sha256'>

/**
 * Documents of one tenant's subjects. An upload is `begin`, then `keep` for the bytes, then `complete`; where one of them
 * fails, `discard` leaves nothing behind. What a killed process leaves is found by `brokenUploads`.
 */
export const recordItemStore = (db: Knex, storages: Storages, tenant: TenantId) => {
  const rows = () => db('record_items').where({ tenant_id: tenant })
  const fileOf = (id: string): FileKey => ({ tenantId: tenant, fileId: id, kind: 'record' })

  return {
    async begin(id: string, { subjectId, actor }: { subjectId: string; actor: string }): Promise<void> {
      const row = { tenant_id: tenant, id, subject_id: subjectId, actor, created_at: new Date() }
      await db('record_items').insert({ ...row, state: 'uploading', storage: storages.current })
    },

    /** Keeps the bytes as they come. @throws what `content` throws. */
    async keep(id: string, fileName: string, content: AsyncIterable<Buffer>): Promise<KeptFile> {
      const kept = await keepFile(storages.of(storages.current), fileOf(id), content)
      return { file_name: fileName, ...kept }
    },

    /** Makes it a document that can be read. @throws Error when it was taken for broken off, and discarded. */
    async complete(id: string, item: KeptFile & Pick<RecordItem, 'title' | 'effective_date'>): Promise<void> {
      const done: number = await rows()
        .where({ id, state: 'uploading' })
        .update({ ...item, state: 'stored' })
      if (done === 0) throw new Error(`The upload ${id} was discarded before it was complete`)
    },

    /** Removes what there is of an upload, unless it is complete. The row goes last: it is what finds the bytes. */
    async discard(id: string, storage: StorageName = storages.current): Promise<void> {
      await rows().where({ id, state: 'uploading' }).update({ state: 'discarded' })
      if (!(await rows().where({ id, state: 'discarded' }).first('id'))) return
      await storages.of(storage).remove(fileOf(id))
      await rows().where({ id, state: 'discarded' }).delete()
    },

    byId: (subjectId: string, id: string): Promise<RecordItem | undefined> =>
      rows()
        .where({ id, subject_id: subjectId, state: 'stored' })
        .first('id', 'storage', 'title', 'effective_date', 'file_name', 'size', 'sha256'),

    content: ({ id, storage }: RecordItem): Promise<AsyncIterable<Uint8Array>> => storages.of(storage).read(fileOf(id)),
  }
}

export interface BrokenUpload {
  tenant_id: TenantId
  id: string
  storage: StorageName
}

/** Uploads of all tenants that began more than `olderThanMs` ago and never came to their end; at most a hundred. */
export const brokenUploads = (db: Knex, olderThanMs: number): Promise<BrokenUpload[]> =>
  db('record_items')
    .whereIn('tenant_id', db('tenants').select('id'))
    .whereIn('state', ['uploading', 'discarded'])
    .where('created_at', '<', new Date(Date.now() - olderThanMs))
    .limit(100)
    .select('tenant_id', 'id', 'storage')
