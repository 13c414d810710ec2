import type { Knex } from 'knex'
import { onTestFinished } from 'vitest'
import { until } from './faults.js'

/** What others wait for until it is opened, at the latest when the test ends. */
export interface Held {
  open(): Promise<unknown>
}

function heldBy(trx: Knex.Transaction): Held {
  // Where the database was killed, there is nothing to roll back.
  const open = async () => trx.isCompleted() || trx.rollback().catch(() => undefined)
  onTestFinished(() => open().then(() => undefined))
  return { open }
}

/**
 * Makes an extract stop before it writes the list of a definition (from 0), until it is let go on. The worker waits 20 s, and
 * then tries again.
 */
export async function holdDefinition(db: Knex, tenantId: number, jobId: string, definition: number): Promise<Held> {
  const trx = await db.transaction()
  const row = { tenant_id: tenantId, job_id: jobId, definition, chunk: 0, entries: 0, results: Buffer.alloc(0) }
  await trx('form_extract_results').insert(row)
  return heldBy(trx)
}

/** Holds the clock of a tenant's forms as a submit does (`forShare`) or an extract (`forUpdate`). */
export async function holdClock(db: Knex, tenantId: number, how: 'forShare' | 'forUpdate'): Promise<Held> {
  const trx = await db.transaction()
  await trx('form_clocks').where({ tenant_id: tenantId })[how]().first('instant')
  return heldBy(trx)
}

/** Resolves when so many statements on a table wait for a lock, of those that name the tenant and hold this. */
export const waiting = (db: Knex, tenantId: number, statement: RegExp, count = 1): Promise<boolean> =>
  until(`${count} statements like ${statement} wait`, async () => {
    const [threads = []]: { Info: string | null }[][] = await db.raw('SHOW FULL PROCESSLIST')
    const those = threads.filter(({ Info }) => Info && statement.test(Info) && Info.includes(`${tenantId}`))
    return those.length >= count
  })
