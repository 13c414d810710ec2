// Stores the accounts of people who sign in.
import type { Knex } from 'knex'
import { isId, newId } from '../../runtime/ids.js'
import { conflict, notFound } from '../../runtime/problems/problem.js'
import { tellIds } from '../audit/action.js'
import { now } from '../clock.js'
import type { Db, TenantId } from '../connect.js'
import { isDuplicate, transaction } from '../errors.js'
import { type Page, type PageRequest, readPage } from '../paging.js'
import { recordIdOf } from './oidc-records.js'

/** A person who signs in. */
export interface Account {
  tenantId: TenantId
  tenantKey: string
  /** UUIDv7, the `sub` of the person's tokens. */
  id: string
  email: string
  name: string
  /** Names of roles, see runtime/secrets/roles.ts. */
  roles: string[]
  /** Undefined until the person has chosen a password. */
  passwordHash: string | undefined
  disabled: boolean
  /** Stands in the person's tokens and sessions. Those with an earlier one are refused. */
  tokenVersion: number
  /** The limits of the tenant. */
  limits: Record<string, unknown>
}

export interface AccountRow {
  account_id: string
  email: string
  name: string
  roles: string
  password_hash: string | null
  disabled: number
  token_version: number
  created_at: Date
  updated_at: Date
}

/** An account in a list, with whether its person has a second factor. */
export type ListedAccount = AccountRow & { has_second_factor: number }

/** What an administrator says about an account. */
export interface AccountSettings {
  name: string
  roles: readonly string[]
  disabled: boolean
}

export type AccountFinder = ReturnType<typeof accountFinder>

/** Returns an e-mail address as it is stored and compared. */
export const storedEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase()

/** Finds the accounts of all tenants: somebody who signs in, or whose token is checked, is no tenant's caller yet. */
export function accountFinder(db: Knex) {
  const found = (where: Record<string, string>): Promise<FoundRow | undefined> =>
    db('accounts')
      .join('tenants', 'tenants.id', 'accounts.tenant_id')
      .where(where)
      .first('accounts.*', 'tenants.tenant_key', 'tenants.limits')
  return {
    /** Returns the account with this e-mail address in a tenant. Neither need exist. */
    async byEmail(tenantKey: string, email: string): Promise<Account | undefined> {
      const wanted = storedEmail(email)
      const row = await found({ 'tenants.tenant_key': tenantKey, 'accounts.email': wanted })
      // MySQL ignores trailing blanks when it compares.
      return row?.tenant_key === tenantKey && row.email === wanted ? present(row) : undefined
    },

    /** Returns the account of a tenant that belongs to a person of the other issuer. @param subject see `upstream_subject`. */
    async byUpstream(tenantKey: string, subject: string): Promise<Account | undefined> {
      const row = await found({ 'tenants.tenant_key': tenantKey, 'accounts.upstream_subject': subject })
      return row?.tenant_key === tenantKey ? present(row) : undefined
    },

    /** Returns the account with this id. */
    async byId(id: string): Promise<Account | undefined> {
      const row = isId(id) ? await found({ 'accounts.account_id': id }) : undefined
      return row && present(row)
    },
  }
}

/** The accounts of one tenant. */
export const accountStore = (db: Knex, tenant: TenantId) => ({
  /** Lists the accounts. @param ids of the ones that are meant, if not all are. */
  page(request: PageRequest, ids?: readonly string[]): Promise<Page<ListedAccount>> {
    const meant = (query: Knex.QueryBuilder) => (ids ? query.whereIn('account_id', ids) : query)
    return readPage<ListedAccount>(() => meant(listed(db, tenant)), 'account_id', request, {
      async count() {
        const counted = await meant(db('accounts').where({ tenant_id: tenant }))
          .count({ total: '*' })
          .first()
        return Number(counted?.total ?? 0)
      },
    })
  },

  /** Returns the account with this id. */
  byId: async (id: string): Promise<ListedAccount | undefined> =>
    isId(id) ? listed(db, tenant).where({ account_id: id }).first() : undefined,

  /**
   * Creates an account without a password.
   * @returns its id. @throws Problem 409 if the tenant has an account with this e-mail address.
   */
  async create(email: string, settings: AccountSettings): Promise<string> {
    const id = newId()
    const [unique, created] = [storedEmail(email), now(db)]
    const row = { tenant_id: tenant, account_id: id, email: unique, created_at: created, ...columnsOf(db, settings) }
    await transaction(db, tenant, async trx => {
      await trx('accounts').insert(row)
      tellIds([id])
    }).catch(error => {
      if (!isDuplicate(error)) throw error
      throw conflict('account-exists', 'The tenant has an account with this e-mail address.')
    })
    return id
  },

  /** Changes an account. Who is disabled is signed out everywhere. @throws Problem 404 if there is none. */
  change: (id: string, settings: AccountSettings): Promise<void> =>
    transaction(db, tenant, async trx => {
      const changed = await trx('accounts')
        .where({ tenant_id: tenant, account_id: id })
        .update(columnsOf(trx, settings))
      if (changed === 0) throw notFound(`There is no account '${id}'.`)
      if (settings.disabled) await signOut(trx, tenant, id)
    }),

  /** Deletes an account, whose person is signed out everywhere. */
  delete: (id: string): Promise<void> =>
    transaction(db, tenant, async trx => {
      for (const table of ['accounts', 'second_factors'])
        await trx(table).where({ tenant_id: tenant, account_id: id }).delete()
      await signOut(trx, tenant, id)
    }),

  /** Binds an account to a person of the other issuer, for good. Returns false if it is bound to another one. */
  bindUpstream: (id: string, subject: string): Promise<boolean> =>
    transaction(db, tenant, async trx => {
      const unbound = trx('accounts').where({ tenant_id: tenant, account_id: id, upstream_subject: null })
      return (await unbound.update({ upstream_subject: subject, updated_at: now(trx) })) > 0
    }),
})

/** Sets the password of an account, whose person is signed out everywhere. The session and what is returned are those of {@link signOut}. */
export async function setPassword(
  trx: Knex.Transaction,
  tenant: TenantId,
  id: string,
  hash: string,
  session?: string,
): Promise<number> {
  await trx('accounts')
    .where({ tenant_id: tenant, account_id: id })
    .update({ password_hash: hash, updated_at: now(trx) })
  return signOut(trx, tenant, id, session)
}

/**
 * Ends the sessions of a person, and what else refers to the account: tokens, sign-ins, codes, links and wrong passwords. What a request
 * under way stores after that is of an earlier version of the account, which nobody accepts.
 * @param session the id of the one that stays, because the person has asked for this in it.
 * @returns the version of the account from now on; 0 if there is none.
 */
export async function signOut(trx: Knex.Transaction, tenant: TenantId, id: string, session?: string): Promise<number> {
  const account = () => trx('accounts').where({ tenant_id: tenant, account_id: id })
  await account().increment('token_version')
  const records = trx('oidc_records').where({ account_id: id })
  await (session === undefined ? records : records.whereNot({ record_id: recordIdOf('Session', session) })).delete()
  const changed: Pick<AccountRow, 'token_version'> | undefined = await account().first('token_version')
  return changed?.token_version ?? 0
}

const listed = (db: Db, tenant: TenantId): Knex.QueryBuilder =>
  db('accounts')
    .where({ tenant_id: tenant })
    .select(
      'accounts.*',
      db.raw(
        `EXISTS (SELECT 1 FROM second_factors f
          WHERE f.tenant_id = accounts.tenant_id AND f.account_id = accounts.account_id) AS has_second_factor`,
      ),
    )

const columnsOf = (db: Db, { name, roles, disabled }: AccountSettings) => ({
  name,
  roles: JSON.stringify(roles),
  disabled: Number(disabled),
  updated_at: now(db),
})

type FoundRow = AccountRow & { tenant_id: TenantId; tenant_key: string; limits: string }

const present = (row: FoundRow): Account => ({
  tenantId: row.tenant_id,
  tenantKey: row.tenant_key,
  id: row.account_id,
  email: row.email,
  name: row.name,
  roles: JSON.parse(row.roles),
  passwordHash: row.password_hash ?? undefined,
  disabled: row.disabled === 1,
  tokenVersion: row.token_version,
  limits: JSON.parse(row.limits),
})
