// Stores second factors of people: authenticator apps, passkeys and recovery codes.
import type { Knex } from 'knex'
import { newId } from '../../runtime/ids.js'
import type { Seal } from '../../runtime/secrets/seal.js'
import { now } from '../clock.js'
import type { TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { type Account, signOut } from './accounts.js'

/** What is known of a factor. It is sealed as a whole, because whoever has the secret of an app can make its codes. */
export type FactorData = AppData | PasskeyData | RecoveryData

/** An authenticator app, which makes a code each 30 seconds (TOTP, RFC 6238). */
export interface AppData {
  kind: 'app'
  name: string
  /** In base32. */
  secret: string
  /** The time step of the last code that was used; it and those before are refused. */
  lastStep: number
}

/** A key pair of the person's device, security key or password manager (WebAuthn). */
export interface PasskeyData {
  kind: 'passkey'
  name: string
  /** In base64url, as the public key. */
  credentialId: string
  publicKey: string
  /** How often it was used, if it counts that. One that goes back shows a copy. */
  counter: number
  /** How browsers reach it, such as `internal`. */
  transports: string[]
}

/** The recovery codes that have not been used. */
export interface RecoveryData {
  kind: 'recovery'
  /** SHA-256 of each. */
  hashes: string[]
}

export interface Factor<Data extends FactorData = FactorData> {
  id: string
  data: Data
  createdAt: Date
  usedAt: Date | undefined
}

/** The account that a factor belongs to. */
type Owner = Pick<Account, 'tenantId' | 'tenantKey' | 'id'>

export type SecondFactors = ReturnType<typeof secondFactors>

/** The second factors of all accounts. */
export function secondFactors(db: Knex, seal: Seal) {
  const mine = ({ tenantId, id }: Owner) => ({ tenant_id: tenantId, account_id: id })
  const sealedFor = ({ tenantKey }: Owner, name: string) => ({ purpose: 'second factor' as const, tenantKey, name })
  const opened =
    (account: Owner) =>
    ({ factor_id, sealed_factor, created_at, used_at }: FactorRow): Factor => ({
      id: factor_id,
      data: JSON.parse(seal.open(sealedFor(account, factor_id), sealed_factor)),
      createdAt: created_at,
      usedAt: used_at ?? undefined,
    })

  async function read(from: Knex, account: Owner): Promise<Factor[]> {
    const rows: FactorRow[] = await from('second_factors').where(mine(account)).orderBy('factor_id')
    return rows.map(opened(account))
  }

  /** Reads the factors of an account. Its row is locked first, so that whoever changes them takes turns. */
  async function locked(trx: Knex.Transaction, account: Owner): Promise<Factor[]> {
    await trx('accounts').where(mine(account)).first('account_id').forUpdate()
    return read(trx, account)
  }

  const insert = (trx: Knex.Transaction, account: Owner, data: FactorData) => {
    const id = newId()
    const sealed = seal.seal(sealedFor(account, id), JSON.stringify(data))
    const row = { ...mine(account), factor_id: id, sealed_factor: sealed, created_at: now(trx), used_at: null }
    return trx('second_factors').insert(row)
  }

  return {
    /** Returns the factors of a person, the oldest first. */
    of: (account: Owner): Promise<Factor[]> => read(db, account),

    /**
     * Lets a person prove a factor, and stores what that changes in it. Of requests at the same time, each sees what the one before has changed.
     * It does not wait for the tenant's writers, as no part of a sign-in does.
     * @param prove returns the factor that was proven, as it is from then on, or undefined.
     * @returns whether one was.
     */
    use: (account: Owner, prove: (factors: Factor[]) => Promise<Factor | undefined>): Promise<boolean> =>
      transaction(db, 'unqueued', async trx => {
        const proven = await prove(await locked(trx, account))
        if (!proven) return false
        const sealed = seal.seal(sealedFor(account, proven.id), JSON.stringify(proven.data))
        const row = trx('second_factors').where({ ...mine(account), factor_id: proven.id })
        await row.update({ sealed_factor: sealed, used_at: now(trx) })
        return true
      }),

    /** Adds a factor. @param recovery the recovery codes, which are stored if the person has none. @returns whether they were. */
    add: (account: Owner, data: FactorData, recovery: RecoveryData): Promise<boolean> =>
      transaction(db, account.tenantId, async trx => {
        const isFirst = (await locked(trx, account)).every(({ data: { kind } }) => kind !== 'recovery')
        await insert(trx, account, data)
        if (isFirst) await insert(trx, account, recovery)
        return isFirst
      }),

    /** Replaces the recovery codes of a person who has a factor. */
    replaceRecovery: (account: Owner, recovery: RecoveryData): Promise<void> =>
      transaction(db, account.tenantId, async trx => {
        const before = (await locked(trx, account)).find(({ data: { kind } }) => kind === 'recovery')
        if (!before) return
        await trx('second_factors')
          .where({ ...mine(account), factor_id: before.id })
          .delete()
        await insert(trx, account, recovery)
      }),

    /**
     * Removes a factor, and the recovery codes with the last one. The person is signed out everywhere else.
     * @param session the id of the person's session, which stays. @returns the version of the account from now on.
     */
    remove: (account: Owner, factorId: string, session: string): Promise<number> =>
      transaction(db, account.tenantId, async trx => {
        const left = (await locked(trx, account)).filter(({ id }) => id !== factorId)
        const isLast = left.every(({ data: { kind } }) => kind === 'recovery')
        const removed = trx('second_factors').where(mine(account))
        await (isLast ? removed : removed.where({ factor_id: factorId })).delete()
        return signOut(trx, account.tenantId, account.id, session)
      }),
  }
}

/** Removes all second factors of an account, whose person is signed out everywhere. */
export const removeSecondFactors = (db: Knex, tenant: TenantId, id: string): Promise<void> =>
  transaction(db, tenant, async trx => {
    await signOut(trx, tenant, id)
    await trx('second_factors').where({ tenant_id: tenant, account_id: id }).delete()
  })

interface FactorRow {
  factor_id: string
  sealed_factor: string
  created_at: Date
  used_at: Date | null
}
