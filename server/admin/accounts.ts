// Endpoints for the accounts of people who sign in, for administrators of the platform and of a tenant.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { accountStore, type ListedAccount } from '../../db/identity/accounts.js'
import { linkLife, passwordLinks } from '../../db/identity/links.js'
import { removeSecondFactors } from '../../db/identity/second-factors.js'
import { conflict, forbidden, invalid, notFound } from '../../runtime/problems/problem.js'
import { Name } from '../../runtime/schema/key.js'
import { holdsRole, platformTenant, rolesOf } from '../../runtime/secrets/roles.js'
import type { Seal } from '../../runtime/secrets/seal.js'
import type { Caller } from '../caller.js'
import { created, type Endpoint, endpoint, noContent, ok } from '../endpoint.js'
import { addressOfLink, mailLink, type SendMail } from '../identity/link-mail.js'
import { listing, pageOf, pageSchema, pagingQuery } from '../paging.js'
import { Guid, Id } from '../schema/guid.js'

interface AccountDependencies {
  db: Knex
  seal: Seal
  publicUrl: string
  /** Undefined if no mails are sent. */
  sendMail: SendMail | undefined
  /** The issuer of tokens, if it is not our own identity service. */
  otherIssuer: string | undefined
}

const orders = { CreatedAt: 'account_id' }
const Time = Type.String({ format: 'date-time' })
const roleNames =
  'In a tenant owner, operator, author, analyst, auditor; in the tenant platform operator, admin, security.'
const settings = {
  name: Name,
  roles: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 10, description: roleNames }),
}
const Disabled = Type.Boolean({
  description: 'Somebody who is disabled is signed out, and cannot sign in. Default false.',
})
const Account = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The `sub` of the tokens.' }),
    email: Type.String(),
    ...settings,
    disabled: Disabled,
    hasPassword: Type.Boolean(),
    hasSecondFactor: Type.Boolean({
      description: 'Whether the person is asked for a second factor after the password.',
    }),
    createdAt: Time,
    updatedAt: Time,
  },
  { $id: 'Account' },
)
const NewAccount = Type.Object(
  {
    email: Type.String({
      maxLength: 255,
      pattern: '^[^\\s@\\p{C}]+@[^\\s@\\p{C}]+$',
      publish: { format: 'email' },
      description: 'Unique in the tenant, in whatever letter case.',
    }),
    ...settings,
  },
  { $id: 'NewAccount' },
)
/** How many accounts one call may ask for by id. Their ids stand in the address, and proxies refuse long ones. */
const mostIds = 100
const accountQuery = pagingQuery(orders, {
  AccountId: Type.Optional(
    Type.Array(Guid, {
      maxItems: mostIds,
      description: 'Only these accounts, such as the people whom jobs and the audit name by id.',
    }),
  ),
})
const AccountChange = Type.Object({ ...settings, disabled: Type.Optional(Disabled) }, { $id: 'AccountChange' })
const AccountLink = Type.Object(
  {
    mailed: Type.Boolean({ description: 'Whether the mail server has taken a mail to the person.' }),
    link: Type.Union([Type.String(), Type.Null()], {
      description: 'The address at which the person chooses a password; null if it was mailed. It is shown only now.',
    }),
    expiresAt: Time,
  },
  { $id: 'AccountLink' },
)

const present = (row: ListedAccount): Static<typeof Account> => ({
  id: row.account_id,
  email: row.email,
  name: row.name,
  roles: JSON.parse(row.roles),
  disabled: row.disabled === 1,
  hasPassword: row.password_hash !== null,
  hasSecondFactor: Number(row.has_second_factor) === 1,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})

/** Who looks after accounts: the tenant whose accounts a request is about, and how its endpoints are named. */
interface Side {
  path: string
  scope: 'PlatformAdmin' | 'FrameApi'
  /** Stands in the operation ids. */
  of: '' | 'Tenant'
  tenantKeyOf(params: Record<string, string>, caller: Caller): string
}

const sides: readonly Side[] = [
  {
    path: '/admin/v1/tenants/:tenantKey/accounts',
    scope: 'PlatformAdmin',
    of: 'Tenant',
    tenantKeyOf: ({ tenantKey = '' }) => tenantKey,
  },
  { path: '/api/v1/accounts', scope: 'FrameApi', of: '', tenantKeyOf: (_params, { tenantKey }) => tenantKey },
]

/** Lists, creates, changes and deletes accounts, makes the links with which people choose their passwords, and removes second factors. */
export const accountRoutes = (dependencies: AccountDependencies): Endpoint[] =>
  sides.flatMap(side => routesOf(side, dependencies))

function routesOf(
  { path, scope, of, tenantKeyOf }: Side,
  { db, seal, publicUrl, sendMail, otherIssuer }: AccountDependencies,
): Endpoint[] {
  const common = { tag: 'Accounts', scopes: [scope] } as const
  const one = { path: `${path}/:accountId`, params: Type.Object({ accountId: Id }) } as const
  const links = passwordLinks(db, seal)
  const whose = of ? 'Administrators of the platform do so for any tenant.' : 'It is about the own tenant.'

  async function tenantOf(params: Record<string, string>, caller: Caller) {
    const key = tenantKeyOf(params, caller)
    const id = await tenantIdOf(db, key)
    return { key, id, store: accountStore(db, id) }
  }

  /** Reads an account that the caller may look after. @throws Problem 404 if there is none, 403 if it may do more than the caller. */
  async function existing(params: Record<string, string>, caller: Caller) {
    const tenant = await tenantOf(params, caller)
    const account = await tenant.store.byId(params.accountId ?? '')
    if (!account) throw notFound(`There is no account '${params.accountId}'.`)
    requireRoles(tenant.key, JSON.parse(account.roles), caller, scope)
    return { ...tenant, account }
  }

  return [
    endpoint({
      ...common,
      path,
      permission: 'List:Account',
      operationId: `list${of}Accounts`,
      summary: `Accounts of ${of ? 'a' : 'the'} tenant, in the order of their creation`,
      description: `Lists the people who can sign in, with their roles. What a role allows is in the guide. Programs are not among them: they are clients of the manifest. ${whose}`,
      method: 'get',
      query: accountQuery,
      answers: { 200: pageSchema(Account) },
      async handle({ params, query, caller }) {
        const { id, store } = await tenantOf(params, caller)
        const list = listing(query, orders, ['accounts', id, query.AccountId])
        return ok(await pageOf(await store.page(list.request, query.AccountId), list, 'account_id', present))
      },
    }),

    endpoint({
      ...common,
      path,
      permission: 'Edit:Account',
      operationId: `create${of}Account`,
      summary: 'Create the account of a person, who has no password yet',
      description: `Creates an account. To let the person choose a password, create a link for it (create${of}AccountLink). Whoever creates an account must hold everything that its roles allow. A second account with the same e-mail address in a tenant is 409. ${whose}`,
      method: 'post',
      body: NewAccount,
      answers: { 201: Account },
      problems: ['account-exists'],
      async handle({ params, body: { email, ...given }, caller }) {
        const { key, store } = await tenantOf(params, caller)
        refuseUnknownRoles(key, given.roles)
        requireRoles(key, given.roles, caller, scope)
        const id = await store.create(email, { ...given, disabled: false })
        return created(present(await rowOf(store, id)))
      },
    }),

    endpoint({
      ...common,
      ...one,
      permission: 'Edit:Account',
      operationId: `put${of}Account`,
      summary: 'Change the name and the roles of an account, or disable it',
      description: `Replaces the name and the roles. A change takes effect within five seconds, also for tokens that were issued before. Somebody who is disabled is signed out everywhere. Whoever changes an account must hold everything that its roles allow, before and after. Repeating the request changes nothing. ${whose}`,
      method: 'put',
      body: AccountChange,
      answers: { 200: Account },
      async handle({ params, body: { disabled = false, ...given }, caller }) {
        const { key, store, account } = await existing(params, caller)
        refuseUnknownRoles(key, given.roles)
        requireRoles(key, given.roles, caller, scope)
        await store.change(account.account_id, { ...given, disabled })
        return ok(present(await rowOf(store, account.account_id)))
      },
    }),

    endpoint({
      ...common,
      ...one,
      permission: 'Edit:Account',
      operationId: `delete${of}Account`,
      summary: 'Delete an account; the person is signed out everywhere',
      description: `Deletes the account for good. What the person has done stays, with the id of the account. An unknown account is 404, also when the request is repeated. ${whose}`,
      method: 'delete',
      answers: { 204: null },
      async handle({ params, caller }) {
        const { store, account } = await existing(params, caller)
        await store.delete(account.account_id)
        return noContent
      },
    }),

    endpoint({
      ...common,
      path: `${one.path}/secondFactors`,
      params: one.params,
      permission: 'Edit:Account',
      operationId: `delete${of}AccountSecondFactors`,
      summary: 'Remove the second factors of somebody who has lost them',
      description: `Removes the authenticator apps, passkeys and recovery codes of an account, whose person is signed out everywhere and signs in with the password alone until another factor is set up. Make sure first that the person asks for it: whoever knows the password gets in then. Repeating the request removes nothing more. ${whose}`,
      method: 'delete',
      answers: { 204: null },
      async handle({ params, caller }) {
        const { id, account } = await existing(params, caller)
        await removeSecondFactors(db, id, account.account_id)
        return noContent
      },
    }),

    endpoint({
      ...common,
      path: `${one.path}/link`,
      params: one.params,
      permission: 'Edit:Account',
      operationId: `create${of}AccountLink`,
      summary: 'Create a link with which a person chooses a password',
      description: `Creates a link that works once, within three days, for the first password and for another in place of one that was forgotten. With a mail server the person gets it by mail; otherwise hand it to the person and to nobody else, because whoever has it has the account. The present password stays until then. Every call creates another link. Where people sign in with another issuer, it is 409 \`other-issuer\`. ${whose}`,
      method: 'post',
      answers: { 201: AccountLink },
      problems: ['other-issuer'],
      async handle({ params, caller, log }) {
        if (otherIssuer !== undefined) throw conflict('other-issuer', `People sign in with ${otherIssuer}.`)
        const { id, key, account } = await existing(params, caller)
        const expiresAt = new Date(Date.now() + linkLife * 1000).toISOString()
        const link = addressOfLink(publicUrl, await links.create(id, account.account_id))
        const reason = sendMail ? await mailLink(sendMail, account, key, link) : 'off'
        if (sendMail && reason !== undefined) log.warn({ accountId: account.account_id, reason }, 'no link was mailed')
        return created({ mailed: reason === undefined, link: reason === undefined ? null : link, expiresAt })
      },
    }),
  ]
}

async function rowOf(store: ReturnType<typeof accountStore>, id: string): Promise<ListedAccount> {
  const row = await store.byId(id)
  if (!row) throw notFound(`There is no account '${id}'.`)
  return row
}

/** @throws Problem 400 with each role that people of the tenant cannot have. */
function refuseUnknownRoles(tenantKey: string, roles: readonly string[]): void {
  const known = Object.keys(rolesOf(tenantKey))
  const faults = roles.flatMap((role, n) => {
    const detail = `There is no role '${role}'; there are ${known.join(', ')}.`
    return known.includes(role) ? [] : [{ pointer: `/roles/${n}`, code: 'unknown-role', detail } as const]
  })
  if (faults.length > 0) throw invalid(faults)
}

/**
 * Refuses callers who would get more rights by an account than they have. Administrators of the platform write manifests, and so give
 * rights in tenants anyway; rights on the platform they give only if they hold them.
 * @throws Problem 403
 */
function requireRoles(tenantKey: string, roles: readonly string[], caller: Caller, scope: Side['scope']): void {
  if (scope === 'PlatformAdmin' && tenantKey !== platformTenant) return
  const known = new Map(Object.entries(rolesOf(tenantKey)))
  for (const role of roles) {
    const allowed = known.get(role)
    if (allowed && !holdsRole(allowed, caller))
      throw forbidden(`Only who holds the role '${role}' may give it or look after those who have it.`)
  }
}
