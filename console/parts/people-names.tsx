// The names of people who have done something. Jobs and the audit know them by the ids of their accounts.
import { problemOf } from '../api.js'
import { useReading, type Via } from '../reading.js'
import { isOfPlatform, session } from '../session.js'
import { listAccounts, platform } from './accounts.js'

/** How many accounts are asked for at most, as the API allows it. */
const most = 100
/** What the actor of a job begins with if it is a person. */
const prefix = 'account:'

/** The names that were read, by id. */
const known = new Map<string, string>()
/** Whether this person may list accounts, as far as that was tried. Once refused, it is not tried again. */
let isAllowed = true

/** Returns the id of the account if the actor of a job is a person. */
const accountIdOf = (actor: string): string | undefined =>
  actor.startsWith(prefix) ? actor.slice(prefix.length) : undefined

/** Returns the tenants whose people may have done something in a tenant, by default in the own one. */
const tenantsOf = (tenant: string | undefined): string[] => {
  if (!isOfPlatform) return [session?.tenantKey ?? '']
  return tenant ? [tenant, platform] : [platform]
}

/** Reads accounts, and remembers their names. @param ids of those that are meant, if not the first ones are. */
async function readPeople(tenants: readonly string[], via: Via, ids?: string[]) {
  const lists = isAllowed ? await Promise.all(tenants.map(key => listAccounts(key, via, ids))) : []
  if (lists.some(({ error }) => problemOf(error).status === 403)) isAllowed = false
  const people = lists.flatMap(({ data }) => data?.Edges ?? []).map(({ Node: { id, name } }) => ({ id, name }))
  for (const { id, name } of people) known.set(id, name)
  return people
}

/** Reads the people who can sign in, as many as fit a list to choose from. None if accounts are not for this person to see. */
export function usePeople(tenant: string | undefined): readonly { id: string; name: string }[] {
  const tenants = tenantsOf(tenant)
  return useReading(async via => ({ data: await readPeople(tenants, via) }), tenants).data ?? []
}

/**
 * Reads the names of the people whom a page shows, which follow a moment later.
 * @param whom ids of accounts, or actors of jobs. Others may be among them.
 * @param tenant whose people they are, if it is not the own tenant. People of the platform may have done it too.
 * @returns what a person is called. Undefined if there is no such account, or accounts are not for this person to see.
 */
export function useNames(
  whom: readonly (string | undefined)[],
  tenant?: string,
): (id: string | undefined) => string | undefined {
  const ids = whom.flatMap(each => (each === undefined ? [] : [accountIdOf(each) ?? each]))
  const asked = [...new Set(ids)].filter(id => /^[0-9a-f-]{36}$/.test(id)).toSorted()
  const tenants = tenantsOf(tenant)
  useReading(
    async via => {
      const missing = asked.filter(id => !known.has(id)).slice(0, most)
      return { data: missing.length === 0 ? [] : await readPeople(tenants, via, missing) }
    },
    [tenants, asked],
  )
  return id => (id === undefined ? undefined : known.get(id))
}

interface Props {
  /** A client, or a person as `account:<id>`. */
  actor: string
  nameOf: (id: string) => string | undefined
}

/** Who has asked for a job, or changed it. For a person whose name is not known, such as one of the platform, the title has the id. */
export function Actor({ actor, nameOf }: Props) {
  const id = accountIdOf(actor)
  if (id === undefined) return <>{actor}</>
  return <span title={id}>{nameOf(id) ?? 'a person'}</span>
}
