// The clock of a tenant's form changes: each change has an instant of its own.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { upsertRows } from '../../rows.js'

/** The clock of a tenant that is new. */
export const createFormClock = (trx: Knex.Transaction, tenant: TenantId): Promise<void> =>
  upsertRows(trx, 'form_clocks', ['tenant_id', 'instant'], [[tenant, new Date('2000-01-01T00:00:00Z')]], [])

/**
 * The time of a change that extracts show. An extract with a later instant sees the change, because it waits for the
 * end of the transaction. An extract with this instant or an earlier one does not.
 * @param before the times of changes of the same instance: the server's clock may have been set back since.
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
 * The instant of an extract: all changes before it are committed, none comes any more. Changes wait until the transaction
 * ends, so it is the last thing that a transaction does.
 */
export async function takeInstant(trx: Knex.Transaction, tenant: TenantId): Promise<Date> {
  // The next millisecond: who has just submitted something finds it.
  const instant = new Date(later(await clock(trx, tenant, 'forUpdate')) + 1)
  await trx('form_clocks').where({ tenant_id: tenant }).update({ instant })
  return instant
}

interface Clock {
  instant: Date
  now: Date
}

/** The tenant's clock, held until the transaction ends. */
function clock(trx: Knex.Transaction, tenant: TenantId, hold: 'forShare' | 'forUpdate'): Promise<Clock> {
  // SYSDATE is the time at which the row is had, NOW would be that of the statement, before it waited.
  return trx('form_clocks').where({ tenant_id: tenant })[hold]().first('instant', trx.raw('SYSDATE(3) AS now'))
}

/** In ms since 1970. The server's clock may have been set back since the last instant. */
const later = ({ instant, now }: Clock): number => Math.max(instant.getTime(), now.getTime())
