// Stores the documents in the records of subjects, and finds uploads that were broken off.
import type { Knex } from 'knex'
import { Problem } from '../../../runtime/problems/problem.js'
import { tellIds, unrecorded } from '../../audit/action.js'
import { ago, now } from '../../clock.js'
import type { Db, TenantId } from '../../connect.js'
import { isDuplicate, transaction } from '../../errors.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import { type FileKey, saveFile } from '../../storage/file-storage.js'
import type { StorageName, Storages } from '../../storage/storage.js'
import { activeTenants } from '../../tenant-states.js'
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

/** The earlier upload with the same Idempotency-Key. Its hash tells whether the new request repeats it. */
export interface EarlierUpload {
  id: string
  request_hash: string
}

const discarded = () =>
  new Problem(
    'busy',
    'The upload was taken for one that had broken off, or its subject is being erased. Nothing was kept. Please try again.',
    [],
    { 'Retry-After': '5' },
  )

const columns = ['id', 'storage', 'title', 'effective_date', 'file_name', 'size', 'sha256', 'created_at']

/** The name, size and checksum of a completely stored file. */
export type KeptFile = Pick<RecordItem, 'file_name' | 'size' | 'sha256'>

/**
 * Stores the documents of one tenant's subjects. To upload one, call `begin`, then `keep` with the bytes, then `complete`; if
 * anything fails, call `discard`. {@link brokenUploads} finds uploads whose process was killed in between.
 */
export const recordItemStore = (db: Knex, storages: Storages, tenant: TenantId) => {
  const rows = (of: Db = db) => of('record_items').where({ tenant_id: tenant })
  const fileOf = (id: string): FileKey => ({ tenantId: tenant, fileId: id, kind: 'record' })

  return {
    /** Begins an upload. @throws Problem as {@link existingSubject}. */
    async begin(id: string, { subjectId, actor }: { subjectId: string; actor: string }): Promise<void> {
      // Told of once it is complete.
      const begun = async (trx: Knex.Transaction) => {
        // Locks the subject, so that no merge or erasure that runs at the same time overlooks the document.
        const subject = await existingSubject(trx, tenant, subjectId)
        const row = { tenant_id: tenant, id, subject_id: subject.id, actor, created_at: now(trx) }
        await trx('record_items').insert({ ...row, state: 'uploading', storage: storages.current })
      }
      await unrecorded(() => transaction(db, tenant, begun))
    },

    /** Stores the bytes while they arrive. Rethrows whatever `content` throws. */
    async keep(id: string, fileName: string, content: AsyncIterable<Buffer>): Promise<KeptFile> {
      const kept = await saveFile(storages.of(storages.current), fileOf(id), content)
      return { file_name: fileName, ...kept }
    },

    /**
     * Completes an upload: the document can be read from now on.
     * @returns the earlier upload if its Idempotency-Key is taken; this one then stays incomplete, and is to be discarded.
     * @throws Problem 503 if the upload was discarded meanwhile: it was taken for one that broke off, or its subject is being erased.
     */
    async complete(
      id: string,
      item: KeptFile & Pick<RecordItem, 'title' | 'effective_date'>,
      own: { actor: string; idempotency: { key: string; hash: string } | undefined },
    ): Promise<EarlierUpload | undefined> {
      const { key, hash } = own.idempotency ?? { key: null, hash: null }
      const stored = { ...item, state: 'stored', idempotency_key: key, request_hash: hash }
      try {
        await transaction(db, tenant, async trx => {
          const done: number = await rows(trx).where({ id, state: 'uploading' }).update(stored)
          if (done === 0) throw discarded()
          tellIds([id])
        })
        return undefined
      } catch (error) {
        if (!isDuplicate(error)) throw error
        const earlier = await rows().where({ actor: own.actor, idempotency_key: key }).first('id', 'request_hash')
        // If the earlier upload was removed in the meantime, its key is free again.
        return earlier ?? this.complete(id, item, own)
      }
    },

    /**
     * Removes the bytes and the row of an upload, unless it is complete. The row is deleted last: without it nobody would find
     * bytes that are left over when this fails halfway.
     */
    async discard(id: string, storage: StorageName = storages.current): Promise<void> {
      await rows().where({ id, state: 'uploading' }).update({ state: 'discarded' })
      if (!(await rows().where({ id, state: 'discarded' }).first('id'))) return
      await storages.of(storage).remove(fileOf(id))
      await rows().where({ id, state: 'discarded' }).delete()
    },

    /** Reads a document of a subject. `subjectId` may also be the id of a subject that was merged into the owner. */
    async byId(subjectId: string, id: string): Promise<RecordItem | undefined> {
      const item: RecordItem & { subject_id: string } = await rows()
        .where({ id, state: 'stored' })
        .first('subject_id', ...columns)
      if (!item || item.subject_id === subjectId) return item
      return (await survivorsOf(db, tenant, [subjectId])).get(subjectId) === item.subject_id ? item : undefined
    },

    page: (subjectId: string, page: PageRequest): Promise<Page<RecordItem>> =>
      readPage<RecordItem>(() => rows().where({ subject_id: subjectId, state: 'stored' }).select(columns), 'id', page),

    /** Makes a document unreadable for good. Call `discard` afterwards to remove its bytes. */
    async hide(id: string): Promise<void> {
      await transaction(db, tenant, trx => rows(trx).where({ id, state: 'stored' }).update({ state: 'discarded' }))
    },

    /** Removes all documents of a subject, including uploads that have not ended yet. Safe to repeat. @returns the number removed. */
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

/** Finds uploads of active tenants that began more than `olderThanMs` ago and are neither complete nor fully discarded. Returns at most 100. */
export const brokenUploads = (db: Knex, olderThanMs: number): Promise<BrokenUpload[]> =>
  db('record_items')
    .whereIn('tenant_id', activeTenants(db))
    .whereIn('state', ['uploading', 'discarded'])
    .where('created_at', '<', ago(db, olderThanMs))
    .limit(100)
    .select('tenant_id', 'id', 'storage')
