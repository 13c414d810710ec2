// Lists the events of a tenant's audit.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { type Page, type PageRequest, readPage } from '../paging.js'
import type { SealedRow } from './chain.js'

/** Which events are meant. Without a member, all. */
export interface EventFilter {
  from?: Date | undefined
  to?: Date | undefined
  client?: string | undefined
  person?: string | undefined
  action?: string | undefined
  kind?: string | undefined
  /** An id that was changed or read, or of the job that goes on with it. */
  id?: string | undefined
  outcome?: string | undefined
}

function eventsOf(db: Db, tenant: TenantId, { from, to, id, ...equal }: EventFilter): Knex.QueryBuilder {
  const query = db('audit_events as e').where({ 'e.tenant_id': tenant })
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) query.where(`e.${column}`, value)
  if (from) query.where('e.at', '>=', from)
  if (to) query.where('e.at', '<', to)
  if (id !== undefined)
    query.join('audit_ids as i', on =>
      on
        .on('i.tenant_id', 'e.tenant_id')
        .andOn('i.position', 'e.position')
        .andOn('i.id', db.raw('?', [id])),
    )
  return query
}

/** The number at which the count of a list stops. */
export const mostCounted = 10_000

/** Reads a page of the sealed events that a filter finds, and counts these. */
export function eventPage(db: Db, tenant: TenantId, filter: EventFilter, page: PageRequest): Promise<Page<SealedRow>> {
  return readEvents(db, tenant, filter, page, async () => {
    const { id, ...others } = filter
    // An id alone is counted where ids are found: to look for each of the events too takes twenty times as long.
    const isAlone = id !== undefined && Object.values(others).every(value => value === undefined)
    const found = isAlone ? db('audit_ids').where({ tenant_id: tenant, id }) : eventsOf(db, tenant, filter)
    const some = found.select(db.raw('1')).limit(mostCounted)
    const [row] = await db.from(some.as('some')).count({ total: '*' })
    return Number(row?.total ?? 0)
  })
}

const readEvents = (db: Db, tenant: TenantId, filter: EventFilter, page: PageRequest, count: () => Promise<number>) =>
  readPage<SealedRow>(() => eventsOf(db, tenant, filter).select('e.*'), 'e.position', page, { count })

/** Reads all events that a filter finds, page by page, from a place on. */
export async function* eachEvent(
  db: Db,
  tenant: TenantId,
  filter: EventFilter,
  { column, descending, after }: PageRequest,
): AsyncGenerator<SealedRow> {
  for (let place = after; ; ) {
    const page = { column, descending, after: place, first: 500 }
    const { rows, hasNextPage } = await readEvents(db, tenant, filter, page, async () => 0)
    yield* rows
    const last = rows.at(-1)
    if (!last || !hasNextPage) return
    place = { sort: last.position, key: String(last.position) }
  }
}
