// Orders a tenant's form changes and extracts in time, so that an extract shows exactly the changes before its instant.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { upsertRows } from '../../rows.js'

/** Creates the clock of a new tenant. */
export const createFormClock = (trx: Knex.Transaction, tenant: TenantId): Promise<void> =>
  upsertRows(trx, 'form_clocks', ['tenant_id', 'instant'], [[tenant, new Date('2000-01-01T00:00:00Z')]], [])

/**
 * Determines the time of a change that extracts show. An extract with a later instant sees the change, because it waits for the
 * end of this transaction. An extract with this instant or an earlier one does not.
 * @param before times of earlier changes of the instance. The result is not before them, even if the server's clock was set back.
 */
export async function changeTime(
  trx: Knex.Transaction,
  tenant: TenantId,
  before: readonly (Date | null | undefined)[],
): Promise<Date> {
  const now = later(await clock(trx, tenant, 'forShare'))
  return new Date(Math.max(now, ...before.map(time => time?.getTime() ?? 0)))
}

/**
 * Determines the instant of an extract. All changes before it are committed, and no more can come. Other changes wait until the
 * transaction ends, so call this last.
 */
export async function takeInstant(trx: Knex.Transaction, tenant: TenantId): Promise<Date> {
  // Uses the next millisecond, so that the extract includes what was submitted just now.
  const instant = new Date(later(await clock(trx, tenant, 'forUpdate')) + 1)
  await trx('form_clocks').where({ tenant_id: tenant }).update({ instant })
  return instant
}

interface Clock {
  instant: Date
  now: Date
}

/** Reads the tenant's clock, and locks it until the transaction ends. */
function clock(trx: Knex.Transaction, tenant: TenantId, lock: 'forShare' | 'forUpdate'): Promise<Clock> {
  // SYSDATE is the time after waiting for the lock. NOW would be the start of the statement.
  return trx('form_clocks').where({ tenant_id: tenant })[lock]().first('instant', trx.raw('SYSDATE(3) AS `now`'))
}

/**
 * Returns the present in ms since 1970, but not before the last instant, since the server's clock may have been set
 * back.
 */
const later = ({ instant, now }: Clock): number => Math.max(instant.getTime(), now.getTime())
