// Deletes reports that no extract or export needs any more.
import type { Knex } from 'knex'
import { timeOf } from '../../clock.js'
import type { TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { groupedBy, slices } from '../../rows.js'
import { activeTenants } from '../../tenant-states.js'
import { type ExportPlan, forgetExports } from './exports.js'

/** Limits of one transaction, so that locks are short: rows, and definitions, each of which takes a statement. As many looks are one statement. */
const [perTransaction, definitionsAtOnce] = [1_000, 100]

/** A version of a form or building block. */
interface Definition {
  tenant_id: TenantId
  is_block: number
  definition_key: string
  definition_version: number
}

/** A definition, with the end of its first report that has ended. */
interface EndedReports extends Definition {
  first: Date
}

/**
 * Deletes the reports of active tenants that ended before every instant that an extract, an export or its next increment shows (decision
 * record 0017).
 * @param keptMs how long a report is kept at least after its end, in ms.
 * @returns the number of deleted reports.
 */
export async function forgetReports(db: Knex, keptMs: number): Promise<number> {
  const latest = new Date((await timeOf(db)).getTime() - keptMs)
  const active = new Set<TenantId>(await activeTenants(db).pluck('id'))
  const ended = (await endedBefore(db, latest)).filter(({ tenant_id }) => active.has(tenant_id))
  let forgotten = 0
  for (const [tenant, definitions] of groupedBy(ended, ({ tenant_id }) => tenant_id)) {
    await forgetExports(db, tenant)
    const before = await firstShown(db, tenant, latest)
    const due = definitions.filter(({ first }) => first < before)
    forgotten += await deleteEnded(db, tenant, due, before)
  }
  return forgotten
}

/** SQL for a definition's first report that has ended. Bindings: tenant, whether it is a block, key, version, and the latest end. */
const firstEnded = `(SELECT tenant_id, is_block, definition_key, definition_version, counts_until AS first
  FROM form_reports FORCE INDEX (form_reports_by_end)
  WHERE tenant_id = ? AND is_block = ? AND definition_key = ? AND definition_version = ? AND counts_until < ?
  ORDER BY counts_until LIMIT 1)`

/**
 * Finds the definitions of all tenants with reports that ended before a time. It looks into the index once for each definition,
 * because MariaDB would read the whole index for a GROUP BY: its last column is descending. Each look names its tenant, by which
 * Vitess finds the shard.
 */
async function endedBefore(db: Knex, latest: Date): Promise<EndedReports[]> {
  const [definitions = []]: Definition[][] = await db.raw(
    `SELECT tenant_id, 0 AS is_block, form_key AS definition_key, version AS definition_version FROM form_templates
     UNION ALL SELECT tenant_id, 1, block_key, version FROM form_building_blocks`,
  )
  const ended: EndedReports[] = []
  for (const some of slices(definitions, definitionsAtOnce)) {
    const bindings = some.flatMap(({ tenant_id, is_block, definition_key, definition_version }) => [
      tenant_id,
      is_block,
      definition_key,
      definition_version,
      latest,
    ])
    const [rows = []]: EndedReports[][] = await db.raw(some.map(() => firstEnded).join(' UNION ALL '), bindings)
    ended.push(...rows)
  }
  return ended
}

/** Returns the earliest instant that an extract or export of a tenant shows, but not later than `latest`. */
async function firstShown(db: Knex, tenant: TenantId, latest: Date): Promise<Date> {
  const exported: { instant: Date | null; plan: string | null }[] = await db('form_exports as e')
    .leftJoin('form_export_jobs as j', join => join.on('j.tenant_id', 'e.tenant_id').on('j.job_id', 'e.job_id'))
    .where({ 'e.tenant_id': tenant })
    .select('e.instant', 'j.plan')
  const extracted: { first?: Date | null } | undefined = await db('form_extracts')
    .where({ tenant_id: tenant })
    .min({ first: 'instant' })
    .first()
  const shown = [extracted?.first, ...exported.flatMap(({ instant, plan }) => [instant, ...instantsOf(plan)])]
  return new Date(Math.min(latest.getTime(), ...shown.flatMap(each => (each ? [each.getTime()] : []))))
}

/** Returns the instants that an export's job shows. It may still be running, or be retried. */
function instantsOf(plan: string | null): Date[] {
  if (plan === null) return []
  const { instant, from = instant }: ExportPlan = JSON.parse(plan)
  return [new Date(instant), new Date(from)]
}

/** Deletes the reports of some definitions that ended before a time. @returns the number of deleted reports. */
async function deleteEnded(
  db: Knex,
  tenant: TenantId,
  definitions: readonly EndedReports[],
  before: Date,
): Promise<number> {
  let forgotten = 0
  for (const some of slices(definitions, definitionsAtOnce)) {
    for (let more = perTransaction; more === perTransaction; forgotten += more)
      more = await transaction(db, tenant, async trx => {
        let deleted = 0
        for (const { first: _, ...definition } of some)
          if (deleted < perTransaction)
            deleted += await trx('form_reports')
              .where(definition)
              .where('counts_until', '<', before)
              .orderBy('counts_until')
              .limit(perTransaction - deleted)
              .delete()
        return deleted
      })
  }
  return forgotten
}
