// The demo people: one of each role, who sign in to the console.
import type { Knex } from 'knex'
import { tenantIdOf } from '../db/admin/tenants.js'
import { transaction } from '../db/errors.js'
import { accountFinder, accountStore, setPassword } from '../db/identity/accounts.js'
import { publishedPassword } from '../db/identity/published-secrets.js'
import { platformRoles, platformTenant, tenantRoles } from '../runtime/secrets/roles.js'
import { createSecretHasher, passwordRounds } from '../runtime/secrets/secrets.js'

const peopleOf = (tenantKey: string, roles: object) =>
  Object.keys(roles).map(role => ({ tenantKey, role, email: `${role}@${tenantKey}.example` }))

/** One person of each role, in the tenant `demo` and on the platform. */
export const demoPeople = [...peopleOf('demo', tenantRoles), ...peopleOf(platformTenant, platformRoles)]

/** Creates the demo people that are missing, with the published password. Their tenants must exist. */
export async function createDemoPeople(db: Knex, secretHashCost: number): Promise<void> {
  const found = await Promise.all(
    demoPeople.map(async person => ((await accountFinder(db).byEmail(person.tenantKey, person.email)) ? [] : [person])),
  )
  const missing = found.flat()
  if (missing.length === 0) return
  const hash = await createSecretHasher(secretHashCost, passwordRounds).hash(publishedPassword)
  for (const { tenantKey, role, email } of missing) {
    const tenant = await tenantIdOf(db, tenantKey)
    const settings = { name: `Demo ${role}`, roles: [role], disabled: false }
    const id = await accountStore(db, tenant).create(email, settings)
    await transaction(db, tenant, trx => setPassword(trx, tenant, id, hash))
  }
}

/** Says who the demo people are, for the end of `npm start`. */
export const whoDemoPeopleAre = (): string => {
  const line = (tenantKey: string) =>
    demoPeople.flatMap(person => (person.tenantKey === tenantKey ? [person.email] : [])).join(', ')
  return `Sign in to the console with the password "${publishedPassword}":
  tenant demo       ${line('demo')}
  tenant platform   ${line(platformTenant)}`
}
