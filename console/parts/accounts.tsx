// The accounts of the people who sign in: of a tenant for its owner, of any tenant for whoever looks after all of them.
import { useState } from 'preact/hooks'
import { api, type Problem, problemOf, type Schemas } from '../api.js'
import { useMay } from '../permissions.js'
import { justFetch, type Reading, useReading, type Via } from '../reading.js'
import { isOfPlatform } from '../session.js'
import { Table } from './list.js'
import { Nothing, Pending, ProblemBox } from './shown.js'

type Account = Schemas['Account']
type NewAccount = Schemas['NewAccount']
type Answered<T> = Promise<{ data?: T | undefined; error?: unknown }>

/** How many accounts are shown. */
const most = 200

/** The tenant of the people who look after all tenants, and the roles of both. */
export const platform = 'platform'
const rolesOf = (tenantKey: string) =>
  tenantKey === platform ? ['operator', 'admin', 'security'] : ['owner', 'operator', 'author', 'analyst', 'auditor']

interface Calls {
  /** @param ids of the accounts that are meant, if not all are. */
  list(via: Via, ids?: string[]): Answered<{ Edges: { Node: Account }[]; PageInfo: { TotalCount: number } }>
  create(body: NewAccount): Answered<Account>
  change(accountId: string, body: Schemas['AccountChange']): Answered<Account>
  link(accountId: string): Answered<Schemas['AccountLink']>
  /** Answers nothing. */
  removeFactors(accountId: string): Answered<unknown>
}

const queryOf = (ids: string[] | undefined) => ({ First: most, ...(ids && { AccountId: ids }) })

/** Returns the calls about the accounts of a tenant, which administrators of the platform and the tenant itself have. */
const callsOf = (tenantKey: string): Calls =>
  isOfPlatform
    ? {
        list: (via, ids) =>
          api.GET('/admin/v1/tenants/{tenantKey}/accounts', {
            params: { path: { tenantKey }, query: queryOf(ids) },
            ...via,
          }),
        create: body => api.POST('/admin/v1/tenants/{tenantKey}/accounts', { params: { path: { tenantKey } }, body }),
        change: (accountId, body) =>
          api.PUT('/admin/v1/tenants/{tenantKey}/accounts/{accountId}', {
            params: { path: { tenantKey, accountId } },
            body,
          }),
        link: accountId =>
          api.POST('/admin/v1/tenants/{tenantKey}/accounts/{accountId}/link', {
            params: { path: { tenantKey, accountId } },
          }),
        removeFactors: accountId =>
          api.DELETE('/admin/v1/tenants/{tenantKey}/accounts/{accountId}/secondFactors', {
            params: { path: { tenantKey, accountId } },
          }),
      }
    : {
        list: (via, ids) => api.GET('/api/v1/accounts', { params: { query: queryOf(ids) }, ...via }),
        create: body => api.POST('/api/v1/accounts', { body }),
        change: (accountId, body) => api.PUT('/api/v1/accounts/{accountId}', { params: { path: { accountId } }, body }),
        link: accountId => api.POST('/api/v1/accounts/{accountId}/link', { params: { path: { accountId } } }),
        removeFactors: accountId =>
          api.DELETE('/api/v1/accounts/{accountId}/secondFactors', { params: { path: { accountId } } }),
      }

/** Lists the accounts of a tenant. @param ids of those that are meant, if not all are. */
export const listAccounts = (tenantKey: string, via: Via, ids?: string[]) => callsOf(tenantKey).list(via, ids)

export function Accounts({ tenantKey }: { tenantKey: string }) {
  const calls = callsOf(tenantKey)
  const reading = useReading(via => calls.list(via), [tenantKey])
  const may = useMay()
  const [refusal, setRefusal] = useState<Problem>()
  const [link, setLink] = useState<{ name: string; address: string | null }>()
  /** Makes a call, says why it was refused, and reads the list anew. */
  const made = async <T,>(call: Answered<T>): Promise<T | undefined> => {
    const { data, error } = await call.catch(error => ({ error, data: undefined }))
    setRefusal(error === undefined ? undefined : problemOf(error))
    setLink(undefined)
    reading.again()
    return data
  }
  const showLink = async ({ id, name }: Account) => {
    const answer = await made(calls.link(id))
    if (answer) setLink({ name, address: answer.link })
  }
  /** Shuts somebody out, or lets in again, with the name and the roles that the account has by now. */
  const disable = async ({ id, disabled }: Account): Answered<Account> => {
    const { data, error } = await calls.list(justFetch, [id])
    const now = data?.Edges[0]?.Node
    return now ? calls.change(id, { name: now.name, roles: now.roles, disabled: !disabled }) : { error }
  }
  const add = async (account: NewAccount) => {
    const added = await made(calls.create(account))
    if (added) await showLink(added)
  }
  return (
    <>
      {refusal && <ProblemBox problem={refusal} />}
      {link?.address === null && <p role="status">A mail with a link is on its way to {link.name}.</p>}
      {link?.address && (
        <section class="waiting" role="status">
          <h2>The link for {link.name}</h2>
          <p>
            <code>{link.address}</code>
          </p>
          <p>
            It is shown only now, and works once within three days. Give it to this person and to nobody else: whoever
            has it chooses the password.
          </p>
        </section>
      )}
      <List
        reading={reading}
        showLink={showLink}
        removeFactors={({ id }) => made(calls.removeFactors(id))}
        disable={account => made(disable(account))}
      />
      {reading.data && may('Edit:Account') && <AddAccount roles={rolesOf(tenantKey)} add={add} />}
    </>
  )
}

interface ListProps {
  reading: Reading<{ Edges: { Node: Account }[]; PageInfo: { TotalCount: number } }>
  showLink(account: Account): Promise<void>
  removeFactors(account: Account): Promise<unknown>
  disable(account: Account): Promise<unknown>
}

function List({ reading: { data, problem }, showLink, removeFactors, disable }: ListProps) {
  const mayChange = useMay()('Edit:Account')
  if (!data) return <Pending data={data} problem={problem} />
  if (data.Edges.length === 0) return <Nothing>Nobody has an account.</Nothing>
  return (
    <>
      <Table columns={['Person', 'E-mail', 'Roles', ...(mayChange ? ['Change'] : [])]}>
        {data.Edges.map(({ Node: account }) => (
          <tr key={account.id}>
            <td data-name="Person">
              {account.name} {account.disabled && <span class="status">Disabled</span>}
              {!account.hasPassword && <small>has not chosen a password yet</small>}
              {account.hasSecondFactor && <small>has a second factor</small>}
            </td>
            <td data-name="E-mail">{account.email}</td>
            <td data-name="Roles">{account.roles.join(', ') || 'none'}</td>
            {mayChange && (
              <td data-name="Change">
                <div class="step">
                  <button
                    type="button"
                    class="second"
                    aria-label={`Password link for ${account.email}`}
                    onClick={() => showLink(account)}
                  >
                    Password link
                  </button>
                  {account.hasSecondFactor && (
                    <button
                      type="button"
                      class="second"
                      aria-label={`Remove second factors of ${account.email}`}
                      onClick={() => removeFactors(account)}
                    >
                      Remove second factors
                    </button>
                  )}
                  <button
                    type="button"
                    class="second"
                    aria-label={`${account.disabled ? 'Enable' : 'Disable'} ${account.email}`}
                    onClick={() => disable(account)}
                  >
                    {account.disabled ? 'Enable' : 'Disable'}
                  </button>
                </div>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {data.PageInfo.TotalCount > most && <p>The first {most} accounts are shown.</p>}
    </>
  )
}

function AddAccount({ roles, add }: { roles: readonly string[]; add(account: NewAccount): Promise<void> }) {
  const [isBusy, setBusy] = useState(false)
  return (
    <details>
      <summary>Add a person</summary>
      <form
        class="add"
        onSubmit={async event => {
          event.preventDefault()
          const form = event.currentTarget
          const given = new FormData(form)
          setBusy(true)
          await add({
            name: String(given.get('name')),
            email: String(given.get('email')),
            roles: roles.filter(role => given.getAll('role').includes(role)),
          })
          setBusy(false)
        }}
      >
        <label>
          Name
          <input name="name" required autocomplete="off" />
        </label>
        <label>
          E-mail
          <input name="email" type="email" required autocomplete="off" />
        </label>
        <fieldset>
          <legend>Roles</legend>
          {roles.map(role => (
            <label key={role}>
              <input type="checkbox" name="role" value={role} /> {role}
            </label>
          ))}
        </fieldset>
        <button type="submit" disabled={isBusy}>
          Add the person
        </button>
      </form>
    </details>
  )
}
