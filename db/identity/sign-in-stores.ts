// Everything that the identity service reads and writes for people.
import type { Knex } from 'knex'
import type { Seal } from '../../runtime/secrets/seal.js'
import { transaction } from '../errors.js'
import { type Account, accountFinder, accountStore, setPassword } from './accounts.js'
import { attempts } from './attempts.js'
import { passwordLinks } from './links.js'
import { oidcRecords } from './oidc-records.js'

/** Ends a transaction in which a link turns out to be used. */
class LinkUsed extends Error {}

export type SignInStores = ReturnType<typeof signInStores>

export const signInStores = (db: Knex, seal: Seal) => ({
  accounts: accountFinder(db),
  links: passwordLinks(db, seal),
  wrongPasswords: attempts(db, seal, 'WrongPassword'),
  linkMails: attempts(db, seal, 'LinkMail'),
  /** Returns the records of one kind, such as `Session`. */
  recordsOf: (kind: string) => oidcRecords(db, seal, kind),
  /** Tells the audit that a person has signed in. */
  recordSignIn: ({ tenantId }: Account): Promise<void> => transaction(db, tenantId, async () => undefined),
  /** Binds an account to a person of the other issuer. Returns false if it is bound to another one. */
  bindUpstream: ({ tenantId, id }: Account, subject: string): Promise<boolean> =>
    accountStore(db, tenantId).bindUpstream(id, subject),
  /**
   * Uses a link up, sets the password and ends all sessions of the account, in one transaction.
   * @returns false, with nothing changed, if the link was used before.
   */
  choosePassword: async ({ tenantId, id }: Account, link: string, hash: string): Promise<boolean> => {
    try {
      await transaction(db, tenantId, async trx => {
        if (!(await passwordLinks(trx, seal).use(link))) throw new LinkUsed()
        await setPassword(trx, tenantId, id, hash)
      })
      return true
    } catch (error) {
      if (error instanceof LinkUsed) return false
      throw error
    }
  },
})
