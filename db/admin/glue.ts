// Glue settings and sealed secrets of a tenant, as a manifest changes them.
import type { Knex } from 'knex'
import type { Fault } from '../../runtime/problem.js'
import type { TenantId } from '../connect.js'
import type { GlueSettings, SealedSecret } from '../glue/endpoints/settings.js'
import { webhookStore } from '../glue/webhooks.js'
import { upsertRows } from '../rows.js'
import type { Change } from './differences.js'
import type { TenantManifest } from './manifest.js'

/** The sealed variables of a tenant, by name. */
export type Secrets = ReadonlyMap<string, SealedSecret>

/** Glue in the form that is compared: members of lists stand under their keys, so that their order does not count. */
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
  secrets: Object.fromEntries(secrets.map(name => [name, {}])),
  providers: byKey(providers),
  endpoints: byKey(endpoints),
  dataSources: byKey(dataSources),
  dataExtracts: byKey(dataExtracts),
  webhooks: byKey(webhooks),
})

/** Members of a list by their keys. */
export const byKey = <T extends { key: string }>(all: readonly T[]) =>
  Object.fromEntries(all.map(({ key, ...rest }) => [key, rest]))

/** The changes of secrets whose values differ from the present ones. They name the secret and not its value. */
export const glueSecretChanges = (present: Secrets, { glueSecrets }: TenantManifest): Change[] =>
  Object.entries(glueSecrets).flatMap(([name, { mark }]) => {
    const now = present.get(name)
    return now && now.mark !== mark ? [{ path: `/glue/secrets/${name}/value`, change: 'updated' as const }] : []
  })

/** Faults of secrets without a value, both in the manifest and in the database. */
export const valuelessSecrets = (present: Secrets, { glue, glueSecrets }: TenantManifest): Fault[] =>
  glue.secrets.flatMap((name, n) => {
    if (present.has(name) || Object.hasOwn(glueSecrets, name)) return []
    const detail = `The secret '${name}' has no value yet; give one.`
    return [{ pointer: `/glue/secrets/${n}/value`, code: 'required', detail }]
  })

/** Makes this the tenant's glue. */
export async function writeGlue(
  trx: Knex.Transaction,
  tenant: TenantId,
  present: Secrets,
  { glue, glueSecrets }: TenantManifest,
): Promise<void> {
  await upsertRows(trx, 'glue_settings', ['tenant_id', 'settings'], [[tenant, JSON.stringify(glue)]], ['settings'])
  await webhookStore(trx, tenant).keep(glue.webhooks)
  const gone = [...present.keys()].filter(name => !glue.secrets.includes(name))
  if (gone.length > 0) await trx('glue_secrets').where({ tenant_id: tenant }).whereIn('name', gone).delete()
  const rows = Object.entries(glueSecrets).map(([name, { sealed, mark }]) => [tenant, name, sealed, mark])
  await upsertRows(trx, 'glue_secrets', ['tenant_id', 'name', 'sealed', 'mark'], rows, ['sealed', 'mark'])
}
