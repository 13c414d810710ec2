// Links with which people choose a password: the first one, or another in place of one that was forgotten.
import { randomBytes } from 'node:crypto'
import type { Seal } from '../../runtime/secrets/seal.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { oidcRecords } from './oidc-records.js'

const kind = 'PasswordLink'

/** How long a link can be used, in seconds. */
export const linkLife = 3 * 86_400

/** The links that have not been used. A link is random, and stored as a hash, as sessions are. */
export function passwordLinks(db: Db, seal: Seal) {
  const records = oidcRecords(db, seal, kind)
  return {
    /** Creates a link for an account of a tenant. @returns its secret, which cannot be retrieved later. */
    async create(tenant: TenantId, accountId: string): Promise<string> {
      const secret = randomBytes(32).toString('base64url')
      await transaction(db, tenant, trx => oidcRecords(trx, seal, kind).upsert(secret, { accountId }, linkLife))
      return secret
    },

    /** Returns the id of a link's account; undefined if the link is unknown, used or over. */
    async accountOf(secret: string): Promise<string | undefined> {
      const found = await records.find(secret)
      return found?.consumed === undefined ? found?.accountId : undefined
    },

    /** Uses a link up. Returns false if it was used before: of requests at the same time, one may use it. */
    use: (secret: string): Promise<boolean> => records.consume(secret),
  }
}
