// Finds the results that an incremental export adds and removes.
import type { TenantId } from '../../connect.js'
import { whereBeyond } from '../../paging.js'
import type { Read } from '../../replicas.js'
import type { Entry } from '../extracts/extract-entries.js'
import type { ExtractDefinition } from '../extracts/extracts.js'

/** Number of rows that one statement reads. */
const statementRows = 10_000

/** The time between the instant of an export and that of the next one. */
export interface Interval {
  from: Date
  instant: Date
}

/** Builds the key of a definition in form_reports. */
const rowsOf = (tenant: TenantId, { type, key, version }: ExtractDefinition) => ({
  tenant_id: tenant,
  is_block: type === 'form' ? 0 : 1,
  definition_key: key,
  definition_version: version,
})

/**
 * Finds the results of a definition that count at the end of an interval but not at its beginning, because they were submitted,
 * amended or reinstated in between. Yields pages, in the order in which the results began to count.
 */
export async function* startedIn(
  read: Read,
  tenant: TenantId,
  { from, instant }: Interval,
  definition: ExtractDefinition,
  pageRows = statementRows,
): AsyncGenerator<Entry[]> {
  let after: { counts_from: Date; instance_id: string } | undefined
  for (;;) {
    const last = after
    const rows: { submitted_at: Date; instance_id: string; bytes: number; counts_from: Date }[] = await read(
      async db => {
        const query = db(db.raw('form_reports FORCE INDEX (form_reports_by_start)'))
          .where(rowsOf(tenant, definition))
          .where('counts_from', '>=', from)
          .where('counts_from', '<', instant)
          .where('counts_until', '>=', instant)
          .orderByRaw('counts_from, instance_id')
          .limit(pageRows)
          .select('submitted_at', 'instance_id', 'bytes', 'counts_from')
        return last
          ? whereBeyond(query, ['counts_from', '>', last.counts_from], ['instance_id', '>', last.instance_id])
          : query
      },
    )
    yield rows.map(({ submitted_at, instance_id, bytes }) => ({
      submittedAt: submitted_at,
      instanceId: instance_id,
      bytes,
    }))
    after = rows.at(-1)
    if (rows.length < pageRows) return
  }
}

/**
 * Finds the instances that had a result of a definition at the beginning of an interval and have none at its end, because they
 * were withdrawn, or amended so that a building block has no data any more.
 */
export async function* endedIn(
  read: Read,
  tenant: TenantId,
  { from, instant }: Interval,
  definition: ExtractDefinition,
  pageRows = statementRows,
): AsyncGenerator<string> {
  const rows = rowsOf(tenant, definition)
  let after: { counts_until: Date; instance_id: string } | undefined
  for (;;) {
    const last = after
    const page: { instance_id: string; counts_until: Date }[] = await read(async db => {
      const query = db(db.raw('form_reports r FORCE INDEX (form_reports_by_end)'))
        .where(Object.fromEntries(Object.entries(rows).map(([column, value]) => [`r.${column}`, value])))
        .where('r.counts_until', '>=', from)
        .where('r.counts_until', '<', instant)
        .where('r.counts_from', '<', from)
        // Searched by subject, because a subject has only few reports of a definition.
        .whereNotExists(
          db(db.raw('form_reports n FORCE INDEX (form_reports_by_subject)'))
            .where(Object.fromEntries(Object.entries(rows).map(([column, value]) => [`n.${column}`, value])))
            .whereRaw('n.subject_id = r.subject_id AND n.instance_id = r.instance_id')
            .where('n.counts_from', '<', instant)
            .where('n.counts_until', '>=', instant)
            .select(db.raw('1')),
        )
        .orderByRaw('r.counts_until, r.instance_id')
        .limit(pageRows)
        .select('r.instance_id', 'r.counts_until')
      return last
        ? whereBeyond(query, ['r.counts_until', '>', last.counts_until], ['r.instance_id', '>', last.instance_id])
        : query
    })
    for (const { instance_id } of page) yield instance_id
    after = page.at(-1)
    if (page.length < pageRows) return
  }
}
