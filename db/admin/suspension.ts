// Suspends tenants and lets them go on: their callers are refused meanwhile, and their work waits.
import type { Knex } from 'knex'
import { notFound, Problem } from '../../runtime/problems/problem.js'
import { recordAction } from '../audit/action.js'
import { now } from '../clock.js'
import { transaction } from '../errors.js'
import { tenantIdOf, tenantsKnownTo } from './tenants.js'

/** Returns since when a tenant is suspended, or null if it is not. @throws Problem 404 if there is none. */
export const suspendedSince = async (db: Knex, tenantKey: string): Promise<Date | null> =>
  (await tenantsKnownTo(db)(tenantKey)).suspended_at

/** @throws Problem 403 if a tenant is suspended, and 404 if there is none. */
export async function requireActive(db: Knex, tenantKey: string): Promise<void> {
  if (await suspendedSince(db, tenantKey)) throw new Problem('tenant-suspended', suspendedText(tenantKey))
}

/** Says that a tenant is suspended, and who can change that. */
export const suspendedText = (tenantKey: string): string =>
  `The tenant '${tenantKey}' is suspended. Ask those who operate this installation: they can resume it.`

/**
 * Suspends a tenant, or lets it go on. All processes know within two seconds. Repeating it changes nothing.
 * @throws Problem 404 if there is none.
 */
export async function setSuspended(db: Knex, tenantKey: string, isToBe: boolean): Promise<void> {
  const tenant = await tenantIdOf(db, tenantKey)
  await transaction(db, 'unqueued', async trx => {
    const row = () => trx('tenants').where({ id: tenant })
    const before = await row().forUpdate().first('suspended_at')
    if (!before) throw notFound(`There is no tenant '${tenantKey}'.`)
    if ((before.suspended_at !== null) === isToBe) return
    await row().update({ suspended_at: isToBe ? now(trx) : null })
    await recordAction(trx, tenant)
  })
  tenantsKnownTo(db).forget(tenantKey)
}
