import type { Knex } from 'knex'
import { forgetData } from '../../db/glue/forgotten-data.js'
import type { Log } from '../../runtime/log.js'

const everyMs = 60_000

/** Deletes data sets that manifests have left out since: in every API process, which may do so at once. */
export function sweepData({ db, log }: { db: Knex; log: Log }): { stop(): void } {
  let timer: NodeJS.Timeout
  const next = () => {
    timer = setTimeout(async () => {
      try {
        const forgotten = await forgetData(db)
        if (forgotten > 0) log.info({ forgotten }, 'data sets forgotten')
      } catch (err) {
        log.warn({ err }, 'sweeping of data sets stopped for now')
      }
      next()
    }, everyMs).unref()
  }
  next()
  return { stop: () => clearTimeout(timer) }
}
