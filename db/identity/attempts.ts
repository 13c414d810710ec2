// Counts what may be done only so often for an account: wrong passwords, and mails with links. Whether there is such an account does
// not matter, so nobody learns it from being refused.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { Seal } from '../../runtime/secrets/seal.js'
import { now } from '../clock.js'
import { groupOf, oidcRecords } from './oidc-records.js'

/** How long an attempt counts, in seconds. */
export const attemptLife = 900

export type Attempts = ReturnType<typeof attempts>

/** The attempts of one kind. Each is a row, so that those at the same time are all counted. */
export function attempts(db: Knex, seal: Seal, kind: string) {
  const records = oidcRecords(db, seal, kind)
  const nameOf = (tenantKey: string, email: string) => `${kind}/${tenantKey}/${email}`
  return {
    async count(tenantKey: string, email: string): Promise<number> {
      const [row] = await db('oidc_records')
        .where({ grant_id: groupOf(nameOf(tenantKey, email)) })
        .where('expires_at', '>', now(db))
        .count<{ attempts: number | string }[]>({ attempts: '*' })
      return Number(row?.attempts ?? 0)
    },
    /** @param accountId of the account, if there is one: whoever is signed out of it begins anew. */
    add: (tenantKey: string, email: string, accountId?: string): Promise<void> =>
      records.upsert(randomUUID(), { grantId: nameOf(tenantKey, email), accountId }, attemptLife),
    clear: (tenantKey: string, email: string): Promise<void> => records.revokeByGrantId(nameOf(tenantKey, email)),
  }
}
