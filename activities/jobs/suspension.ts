// Lets the work of a suspended tenant wait: tells runs and activities how long to pause before they look again.
import { ApplicationFailure } from '@temporalio/common'
import type { Knex } from 'knex'
import { suspendedSince, suspendedText } from '../../db/admin/suspension.js'
import type { Waiting } from '../../db/jobs/job-row.js'
import { temporalNow } from '../../runtime/temporal/temporal-clock.js'

/** The shortest and the longest pause after which waiting work looks again whether the tenant is still suspended, in ms. */
const [shortestMs, longestMs] = [1_000, 300_000]

/** A suspension, as waiting work sees it. */
interface Suspension {
  waiting: Waiting
  /** After how many ms to look again. */
  waitMs: number
}

/** Returns the suspension of a tenant, or undefined if it is not suspended. */
export async function suspensionOf(db: Knex, tenantKey: string): Promise<Suspension | undefined> {
  const since = await suspendedSince(db, tenantKey)
  if (!since) return undefined
  // A tenth of the time so far: soon after a short suspension, and rarely during a long one.
  const waitMs = Math.round(Math.min(Math.max((temporalNow() - since.getTime()) / 10, shortestMs), longestMs))
  const nextTry = new Date(temporalNow() + waitMs).toISOString()
  return { waiting: { reason: suspendedText(tenantKey), since: since.toISOString(), nextTry }, waitMs }
}

/**
 * Lets an activity that begins work go on, unless the tenant is suspended.
 * @throws ApplicationFailure after which Temporal tries again later, for as long as the tenant is suspended.
 */
export async function waitIfSuspended(db: Knex, tenantKey: string): Promise<void> {
  const suspension = await suspensionOf(db, tenantKey)
  if (!suspension) return
  const { waiting, waitMs } = suspension
  throw ApplicationFailure.create({ type: 'tenant-suspended', message: waiting.reason, nextRetryDelay: waitMs })
}
