// Documents in the records of subjects, and uploads that broke off.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { isDuplicate, transaction } from '../../errors.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import { type FileKey, keepFile } from '../../storage/file-storage.js'
import type { StorageName, Storages } from '../../storage/storage.js'
import { existingSubject, survivorsOf } from './subjects-by-id.js'

/** A document in the record of a subject (spec frame "Subject record"). */
export interface RecordItem {
  id: string
  storage: StorageName
  title: string
  effective_date: string
  file_name: string
  size: number
  sha256: string
  created_at: Date
}

/** The upload that has taken an Idempotency-Key, by which its repetition is known. */
export interface EarlierUpload {
  id: string
  request_hash: string
}

const columns = ['id', 'storage', 'title', 'effective_date', 'file_name', 'size', 'sha256', 'created_at']

/** The size and checksum of a file that is stored whole. */
export type KeptFile = Pick<RecordItem, 'file_name' | 'size' | 'sha256'>

/**
 * Documents of one tenant's subjects. An upload is `begin`, `keep` for the bytes, and `complete`. After a failure
 * `discard` removes all of it. `brokenUploads` finds the uploads of killed processes.
 */
export const recordItemStore = (db: Knex, storages: Storages, tenant: TenantId) => {
  const rows = () => db('record_items').where({ tenant_id: tenant })
  const fileOf = (id: string): FileKey => ({ tenantId: tenant, fileId: id, kind: 'record' })

  return {
    /** @throws Problem as {@link existingSubject}. */
    async begin(id: string, { subjectId, actor }: { subjectId: string; actor: string }): Promise<void> {
      await transaction(db, tenant, async trx => {
        // Held, so that neither a merge nor an erasure leaves the document behind.
        const subject = await existingSubject(trx, tenant, subjectId)
        const row = { tenant_id: tenant, id, subject_id: subject.id, actor, created_at: new Date() }
        await trx('record_items').insert({ ...row, state: 'uploading', storage: storages.current })
      })
    },

    /** Keeps the bytes as they come. @throws what `content` throws. */
    async keep(id: string, fileName: string, content: AsyncIterable<Buffer>): Promise<KeptFile> {
      const kept = await keepFile(storages.of(storages.current), fileOf(id), content)
      return { file_name: fileName, ...kept }
    },

    /**
     * Makes it a document that can be read.
     * @returns the upload that has taken its Idempotency-Key before; then this one stays incomplete.
     * @throws Error when it was taken for broken off, and discarded.
     */
    async complete(
      id: string,
      item: KeptFile & Pick<RecordItem, 'title' | 'effective_date'>,
      own: { actor: string; idempotency: { key: string; hash: string } | undefined },
    ): Promise<EarlierUpload | undefined> {
      const { key, hash } = own.idempotency ?? { key: null, hash: null }
      const stored = { ...item, state: 'stored', idempotency_key: key, request_hash: hash }
      try {
        const done: number = await rows().where({ id, state: 'uploading' }).update(stored)
        if (done === 0) throw new Error(`The upload ${id} was discarded before it was complete`)
        return undefined
      } catch (error) {
        if (!isDuplicate(error)) throw error
        const earlier = await rows().where({ actor: own.actor, idempotency_key: key }).first('id', 'request_hash')
        // Somebody has just removed it, and the key with it.
        return earlier ?? this.complete(id, item, own)
      }
    },

    /** Removes what there is of an upload, unless it is complete. The row goes last: it is what finds the bytes. */
    async discard(id: string, storage: StorageName = storages.current): Promise<void> {
      await rows().where({ id, state: 'uploading' }).update({ state: 'discarded' })
      if (!(await rows().where({ id, state: 'discarded' }).first('id'))) return
      await storages.of(storage).remove(fileOf(id))
      await rows().where({ id, state: 'discarded' }).delete()
    },

    async byId(subjectId: string, id: string): Promise<RecordItem | undefined> {
      const item: RecordItem & { subject_id: string } = await rows()
        .where({ id, state: 'stored' })
        .first('subject_id', ...columns)
      if (!item || item.subject_id === subjectId) return item
      return (await survivorsOf(db, tenant, [subjectId])).get(subjectId) === item.subject_id ? item : undefined
    },

    page: (subjectId: string, page: PageRequest): Promise<Page<RecordItem>> =>
      readPage<RecordItem>(() => rows().where({ subject_id: subjectId, state: 'stored' }).select(columns), 'id', page),

    /** Hides a document for good; `discard` then removes its bytes. */
    async hide(id: string): Promise<void> {
      await rows().where({ id, state: 'stored' }).update({ state: 'discarded' })
    },

    /** Removes all documents of a subject, and its uploads under way. Safe to repeat. @returns how many. */
    async removeAll(subjectId: string): Promise<number> {
      const all: Pick<RecordItem, 'id' | 'storage'>[] = await rows()
        .where({ subject_id: subjectId })
        .select('id', 'storage')
      for (const { id, storage } of all) {
        await this.hide(id)
        await this.discard(id, storage)
      }
      return all.length
    },

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
