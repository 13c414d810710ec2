// Transfers under faults, compared with a model.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { expect } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Tenant } from './api.js'
import { tenantWithWards } from './factories.js'
import { ended, type JobBody, jobRow, kill, signal } from './faults.js'
import { type Numbers, seedLocations, subjectId } from './locations.js'
import type { RunningStack, Victim } from './running-stack.js'
import { type Mode, startTransfer, startUndo } from './transfers.js'
import { until } from './until.js'

/**
 * A fault: when the share `part` (0 to 1) of the job is done, kills the process and waits until it runs again. With `hangMs`, pauses it
 * for that time instead.
 */
export type Kill = [part: number, victim: Victim | undefined, hangMs?: number]

/**
 * Runs a transfer and its undo while processes are killed. Asserts that counts and assignments are as if nothing had happened. A tenth of
 * the subjects are at the destination already, together with as many others.
 */
export async function transferUnderFire(
  stack: RunningStack,
  db: Knex,
  { mode, count, kills, undoKills }: { mode: Mode; count: number; kills: Kill[]; undoKills: Kill[] },
): Promise<void> {
  const tenant = await tenantWithWards(stack.baseUrl, 'east', 'west')
  const tenth = count / 10
  const before = { east: { count }, west: { from: count - tenth, count: 2 * tenth } }
  for (const [key, numbers] of Object.entries(before)) await seedLocations(db, tenant.tenantKey, key, numbers)
  const outcome = mode === 'Move' ? 'moved' : 'copied'

  const transferred = await carriedThrough(db, tenant, () => startTransfer(tenant, 'east', 'west', mode), kills)
  expect(transferred).toMatchObject({ status: 'Completed', progress: { done: count, total: count } })
  expect(transferred.counts).toEqual({ [outcome]: count - tenth, skipped: tenth })
  const after = { east: { count: mode === 'Move' ? 0 : count }, west: { count: count + tenth } }
  expect(await differences(db, tenant.tenantKey, after)).toEqual([])

  const undone = await carriedThrough(db, tenant, () => startUndo(tenant, transferred.jobId), undoKills)
  expect(undone.status).toBe('Completed')
  expect(undone.counts).toEqual({ undone: mode === 'Move' ? count : count - tenth, leftAlone: 0 })
  expect(await differences(db, tenant.tenantKey, before)).toEqual([])
}

async function carriedThrough(db: Knex, tenant: Tenant, start: () => Promise<JobBody>, kills: Kill[]) {
  const { jobId } = await start()
  for (const [part, victim, hangMs] of kills) {
    if (!victim) continue
    await until(`${part * 100} % are done`, async () => {
      const job = await jobRow(db, tenant.tenantKey).catch(() => undefined)
      if (job && job.id === jobId && job.status === 'Completed') throw new Error('The job was done before the kill')
      return job && job.id === jobId && job.done >= job.total * part
    })
    if (hangMs !== undefined) {
      signal(victim, 'SIGSTOP')
      await sleep(hangMs)
      signal(victim, 'SIGCONT')
      continue
    }
    await kill(victim)
  }
  return ended(tenant, jobId, 600_000)
}

/**
 * Compares every assignment of a tenant with the subjects that each entity must have.
 * @returns descriptions of the differences.
 */
export async function differences(db: Knex, tenantKey: string, wanted: Record<string, Numbers>): Promise<string[]> {
  const tenant_id = await until('the database answers', () => tenantIdOf(db, tenantKey).catch(() => undefined))
  const wrong: string[] = []
  for (const [entity_key, { from = 0, count }] of Object.entries(wanted)) {
    let n = from
    let last = ''
    for (let rows: { subject_id: string }[] = [{ subject_id: '' }]; rows.length > 0; ) {
      rows = await db('subject_locations')
        .where({ tenant_id, entity_key })
        .where('subject_id', '>', last)
        .orderBy('subject_id')
        .limit(50_000)
        .select('subject_id')
      const odd = rows.find(({ subject_id }, i) => subject_id !== subjectId(n + i))
      if (odd) wrong.push(`${odd.subject_id} at ${entity_key}, where another is to be`)
      n += rows.length
      last = rows.at(-1)?.subject_id ?? last
    }
    if (n !== from + count) wrong.push(`${n - from} at ${entity_key} instead of ${count}`)
  }
  const elsewhere = db('subject_locations').where({ tenant_id }).whereNotIn('entity_key', Object.keys(wanted))
  for (const { subject_id, entity_key } of await elsewhere.limit(1)) wrong.push(`${subject_id} at ${entity_key}`)
  return wrong
}
