import type { Knex } from 'knex'
import { brokenUploads, recordItemStore } from '../../db/frame/record-items.js'
import type { Storages } from '../../db/storage/storage.js'
import type { Log } from '../../runtime/log.js'

const everyMs = 5_000
/** Far longer than a request may take (five minutes). */
const brokenMs = 3_600_000

/**
 * Discards uploads whose process was killed, or whose database or storage was away when they failed: in every API process,
 * which may do so at once.
 */
export function sweepRecords({ db, storages, log }: { db: Knex; storages: Storages; log: Log }): { stop(): void } {
  let timer: NodeJS.Timeout
  const next = () => {
    timer = setTimeout(async () => {
      try {
        for (const { tenant_id, id, storage } of await brokenUploads(db, brokenMs)) {
          await recordItemStore(db, storages, tenant_id)
            .discard(id, storage)
            .then(() => log.info({ id, storage }, 'discarded an upload that had broken off'))
            .catch(err => log.warn({ err, id, storage }, 'an upload that had broken off is still there'))
        }
      } catch (err) {
        log.warn({ err }, 'sweeping of uploads stopped for now')
      }
      next()
    }, everyMs).unref()
  }
  next()
  return { stop: () => clearTimeout(timer) }
}
