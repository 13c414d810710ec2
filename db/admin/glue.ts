// Compares and writes the glue settings and sealed secrets of a tenant's manifest.
import type { Knex } from 'knex'
import type { Fault } from '../../runtime/problems/problem.js'
import type { TenantId } from '../connect.js'
import type { GlueSettings, SealedSecret } from '../glue/endpoints/settings.js'
import { webhookStore } from '../glue/webhooks.js'
import { upsertRows } from '../rows.js'
import type { Change } from './differences.js'
import type { TenantManifest } from './manifest.js'

/** The sealed variables of a tenant, by name. */
export type Secrets = ReadonlyMap<string, SealedSecret>

/** Converts glue for comparison. Lists become objects by key, so that their order does not matter. */
export const comparableGlue = ({
  secrets,
  providers,
  endpoints,
  dataSources,
  dataExtracts,
  webhooks,
  ...rest
}: GlueSettings) => ({
  ...rest,
  secrets: Object.fromEntries(secrets.map(({ name, hosts }) => [name, { hosts }])),
  providers: byKey(providers),
  endpoints: byKey(endpoints),
  dataSources: byKey(dataSources),
  dataExtracts: byKey(dataExtracts),
  webhooks: byKey(webhooks),
})

/** Turns a list into an object by key. */
export const byKey = <T extends { key: string }>(all: readonly T[]) =>
  Object.fromEntries(all.map(({ key, ...rest }) => [key, rest]))

/** Returns a change for each secret that gets another value. It names the secret but not the value. */
export const glueSecretChanges = (present: Secrets, { glueSecrets }: TenantManifest): Change[] =>
  Object.entries(glueSecrets).flatMap(([name, { mark }]) => {
    const now = present.get(name)
    return now && now.mark !== mark ? [{ path: `/glue/secrets/${name}/value`, change: 'updated' as const }] : []
  })

/**
 * Returns a fault for each secret whose value the manifest must have: because the database has none, or because the
 * secret gets another host. So nobody who does not know a value can have it sent to a host of their choice.
 */
export const valuelessSecrets = (before: GlueSettings | undefined, { glue, glueSecrets }: TenantManifest): Fault[] =>
  glue.secrets.flatMap(({ name, hosts }, n) => {
    if (Object.hasOwn(glueSecrets, name)) return []
    const known = before?.secrets.find(secret => secret.name === name)
    const host = hosts.find(each => !known?.hosts.includes(each))
    if (known && host === undefined) return []
    const detail = known
      ? `The secret '${name}' may not go to '${host}' yet. Give its value again, together with all its hosts.`
      : `The secret '${name}' has no value yet; give one.`
    return [{ pointer: `/glue/secrets/${n}/value`, code: 'required', detail }]
  })

/** Replaces the tenant's glue. */
export async function writeGlue(
  trx: Knex.Transaction,
  tenant: TenantId,
  present: Secrets,
  { glue, glueSecrets }: TenantManifest,
): Promise<void> {
  await upsertRows(trx, 'glue_settings', ['tenant_id', 'settings'], [[tenant, JSON.stringify(glue)]], ['settings'])
  await webhookStore(trx, tenant).keep(glue.webhooks)
  const gone = [...present.keys()].filter(name => !glue.secrets.some(secret => secret.name === name))
  if (gone.length > 0) await trx('glue_secrets').where({ tenant_id: tenant }).whereIn('name', gone).delete()
  const rows = Object.entries(glueSecrets).map(([name, { sealed, mark }]) => [tenant, name, sealed, mark])
  await upsertRows(trx, 'glue_secrets', ['tenant_id', 'name', 'sealed_value', 'mark'], rows, ['sealed_value', 'mark'])
}
