// Everything that the identity service reads and writes for people.
import type { Knex } from 'knex'
import type { Seal, SealedFor } from '../../runtime/secrets/seal.js'
import { recordAction } from '../audit/action.js'
import { transaction } from '../errors.js'
import { type Account, accountFinder, accountStore, setPassword } from './accounts.js'
import { attempts } from './attempts.js'
import { passwordLinks } from './links.js'
import { oidcRecords } from './oidc-records.js'
import { secondFactors } from './second-factors.js'

/** Ends a transaction in which a link turns out to be used. */
class LinkUsed extends Error {}

export type SignInStores = ReturnType<typeof signInStores>

export const signInStores = (db: Knex, seal: Seal) => ({
  accounts: accountFinder(db),
  links: passwordLinks(db, seal),
  wrongPasswords: attempts(db, seal, 'WrongPassword'),
  secondFactors: secondFactors(db, seal),
  linkMails: attempts(db, seal, 'LinkMail'),
  devices: sealedDevices(seal),
  /** Returns the records of one kind, such as `Session`. */
  recordsOf: (kind: string) => oidcRecords(db, seal, kind),
  /** Tells the audit that a person has signed in, without waiting for the tenant's writers. */
  recordSignIn: ({ tenantId }: Account): Promise<void> =>
    transaction(db, 'unqueued', trx => recordAction(trx, tenantId)),
  /** Binds an account to a person of the other issuer. Returns false if it is bound to another one. */
  bindUpstream: ({ tenantId, id }: Account, subject: string): Promise<boolean> =>
    accountStore(db, tenantId).bindUpstream(id, subject),
  /**
   * Uses a link up, sets the password and ends all sessions of the account, in one transaction.
   * @returns false, with nothing changed, if the link was used before.
   */
  choosePasswordByLink: async ({ tenantId, id }: Account, link: string, hash: string): Promise<boolean> => {
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
  /** Sets the password, and ends all other sessions of the account. @param session the id of the one that stays. @returns the account's version. */
  changePassword: ({ tenantId, id }: Account, hash: string, session: string): Promise<number> =>
    transaction(db, tenantId, trx => setPassword(trx, tenantId, id, hash, session)),
})

/** Seals the names of browsers for the account whose person has signed in there. */
function sealedDevices(seal: Seal) {
  const sealedFor = ({ tenantKey, email }: Pick<Account, 'tenantKey' | 'email'>): SealedFor => ({
    purpose: 'sign-in',
    tenantKey: '',
    name: `device/${tenantKey}/${email}`,
  })
  return {
    seal: (whom: Pick<Account, 'tenantKey' | 'email'>, device: string): string => seal.seal(sealedFor(whom), device),

    /** Returns the name of a browser; undefined if it was sealed for another account, or by somebody else. */
    open(whom: Pick<Account, 'tenantKey' | 'email'>, sealed: string): string | undefined {
      try {
        return seal.open(sealedFor(whom), sealed)
      } catch {
        return undefined
      }
    },
  }
}
