// Lists subjects, filtered by entity, by value and by time of update.
import type { Knex } from 'knex'
import { countUpTo } from '../../bounded-counts.js'
import type { Db, TenantId } from '../../connect.js'
import { countChanges } from '../../feeds.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import { slices } from '../../rows.js'
import { totalOf } from '../../totals.js'
import { toBytes, type ValueHash } from '../fields/matching.js'
import type { EntitySet } from '../hierarchy/hierarchy-state.js'
import { orderedPage } from '../orders/ordered-page.js'
import { countDeactivated, deactivatedRows, leaveOutDeactivated } from './deactivation.js'

export interface SubjectFilter {
  /** Only subjects with these ids. */
  ids?: readonly string[] | undefined
  /** Only subjects that are assigned to one of these. */
  entities?: EntitySet | undefined
  /** Only subjects with all (`ExactAll`) or at least one (`ExactAny`) of these values. */
  values?: { match: 'ExactAll' | 'ExactAny'; hashes: ValueHash[] } | undefined
  /** Only subjects that are assigned to no entity. */
  unplaced?: boolean | undefined
  /** Leaves out deactivated subjects. Set it only if the tenant has any, because it costs time. */
  activeOnly?: boolean | undefined
  updatedFrom?: Date | undefined
  updatedTo?: Date | undefined
}

/**
 * A filter that an index answers: the subjects in the index rows with any of the keys. Within the rows of one key the subjects are
 * sorted by id.
 */
interface Source {
  table: 'subject_locations' | 'subject_values'
  column: 'entity_key' | 'value_hash'
  keys: ReadonlySet<string | Buffer>
}

type Ids = Knex.QueryBuilder<{ id: string }, { id: string }[]>

/** How far the rows of a source are counted when looking for the smallest source. Beyond that a source counts as large. */
const many = 5_000

/** The most keys whose sorted ranges are merged by one statement. A server takes about 50 µs for each range. */
const mergedKeys = 50
/** The most keys that are looked up one by one for a subject. With more keys, all places of the subject are read instead. */
const checkedKeys = 20
/** The most values that one subquery checks. Servers join at most 61 tables. */
const joinedChecks = 50

/** Reads a page of the ids of filtered subjects. Apart from the total count, the cost depends on the page's size, not the list's. */
export async function listSubjects(
  db: Db,
  tenant: TenantId,
  filter: SubjectFilter,
  page: PageRequest,
): Promise<Page<{ id: string }>> {
  const sources = sourcesOf(filter)
  const { ids, unplaced, updatedFrom, updatedTo, activeOnly } = filter
  const counted = (count: () => Promise<number>) => ({
    count: () => totalOfSubjects(db, tenant, ['list', { ...filter, entities: filter.entities?.name }], count),
  })
  if (ids || unplaced || updatedFrom || updatedTo || page.column === 'updated_at')
    return ofRows(db, tenant, filter, page, counted)
  if (sources.length === 0) {
    const all = () => db('subjects').where({ tenant_id: tenant }).select('id')
    // The index is named, because MariaDB would otherwise count the rows themselves, which takes twice as long.
    const rows = db.from(db.raw('subjects FORCE INDEX (subjects_by_update)')).where({ tenant_id: tenant })
    const total = async () => Number((await rows.clone().count({ total: '*' }).first())?.total)
    const count = async () => (await total()) - (await countDeactivated(db, tenant))
    if (!activeOnly) return readPage(all, 'id', page, counted(total))
    return readPage(() => all().whereNull('deactivated_at'), 'id', page, counted(count))
  }
  const { source: driver, size, others } = await fewest(db, tenant, sources)
  const restricted = (query: Knex.QueryBuilder) => {
    requireAll(db, tenant, query, others, 'd.subject_id')
    if (activeOnly) leaveOutDeactivated(db, tenant, query, db.raw('d.subject_id'))
    return query
  }
  const of = (keys: Iterable<string | Buffer>, index?: Index) =>
    restricted(indexOf(db, tenant, driver.table, 'd', index).whereIn(`d.${driver.column}`, [...keys]))
  const { count } = counted(async () => {
    const rows = of(driver.keys)
    // With a single key each subject has one row. Counting distinct subjects all the same would take three times as long.
    const counted = driver.keys.size === 1 ? rows.count({ total: '*' }) : rows.countDistinct({ total: 'd.subject_id' })
    return Number((await counted.first())?.total)
  })
  const byId = { ...page, column: 'd.subject_id' }
  const ranges = (): Ids[] => [...driver.keys].map(key => of([key]).select('d.subject_id as id'))
  if (driver.keys.size <= mergedKeys)
    return readPage<{ id: string }>(ranges, 'd.subject_id', byId, { alias: 'id', db, count })
  // The subjects of a few rows are sorted. Of many rows, the index by subject is read in its order and filtered by the keys.
  const index = driver.table === 'subject_locations' && size >= many ? 'subject_locations_by_subject' : 'PRIMARY'
  const all = (): Ids => of(driver.keys, index).distinct('d.subject_id as id')
  return readPage<{ id: string }>(all, 'd.subject_id', byId, { count })
}

interface UpdatedRow {
  id: string
  updated_at: Date
}

/** Reads a page from the table of subjects itself, for filters and orders that the indexes of places and values cannot answer. */
function ofRows(
  db: Db,
  tenant: TenantId,
  filter: SubjectFilter,
  page: PageRequest,
  counted: (count: () => Promise<number>) => { count: () => Promise<number> },
): Promise<Page<{ id: string }>> {
  const rows = (): Knex.QueryBuilder => {
    const query = db('subjects').where({ tenant_id: tenant })
    restrict(db, tenant, filter, query)
    return query
  }
  const listed = (): Knex.QueryBuilder<UpdatedRow, UpdatedRow[]> => rows().select('id', 'updated_at')
  const count = async () => Number((await rows().count({ total: '*' }).first())?.total)
  // An upsert without new values changes `updated_at` but writes no change to the feed, so that a remembered total would be wrong.
  const { updatedFrom, updatedTo, activeOnly, ...others } = filter
  if (!updatedFrom && !updatedTo) return readPage<UpdatedRow>(listed, 'id', page, counted(count))
  const isOfTimeAlone = Object.values(others).every(value => !value)
  return readPage<UpdatedRow>(listed, 'id', page, {
    count: isOfTimeAlone ? () => countUpdated(db, tenant, filter) : count,
  })
}

/** Counts the subjects that were updated in a range of time. Names the index, because MariaDB reads all rows if the range is wide. */
async function countUpdated(db: Db, tenant: TenantId, { updatedFrom, updatedTo, activeOnly }: SubjectFilter) {
  const countOf = async (query: Knex.QueryBuilder): Promise<number> => {
    restrict(db, tenant, { updatedFrom, updatedTo }, query)
    return Number((await query.count({ total: '*' }).first())?.total)
  }
  const byTime = db.from(db.raw('subjects FORCE INDEX (subjects_by_update)')).where('subjects.tenant_id', tenant)
  const total = await countOf(byTime)
  return activeOnly ? total - (await countOf(deactivatedRows(db, tenant))) : total
}

/**
 * Returns the total of a list or search of subjects. Remembers it until any subject of the tenant changes.
 * @param list the name of the list and its filter, as the key of the remembered total.
 */
export const totalOfSubjects = (
  db: Db,
  tenant: TenantId,
  list: unknown[],
  count: () => Promise<number>,
): Promise<number> => totalOf(db, tenant, { list, mark: () => countChanges(db, tenant, 'subject'), count })

/** Adds a filter to a query of the table `subjects`. */
function restrict(
  db: Db,
  tenant: TenantId,
  filter: SubjectFilter,
  query: Knex.QueryBuilder,
  sources = sourcesOf(filter),
): void {
  requireAll(db, tenant, query, sources, 'subjects.id')
  if (filter.unplaced) {
    const places = indexOf(db, tenant, 'subject_locations', 'o', 'subject_locations_by_subject')
    query.whereNotExists(places.select(db.raw('1')).whereRaw('o.subject_id = subjects.id'))
  }
  if (filter.ids) query.whereIn('subjects.id', filter.ids)
  if (filter.activeOnly) query.whereNull('deactivated_at')
  if (filter.updatedFrom) query.where('updated_at', '>=', filter.updatedFrom)
  if (filter.updatedTo) query.where('updated_at', '<', filter.updatedTo)
}

/**
 * Reads a page of subjects in the order of a field. If one of the filters leaves few subjects, sorts those; otherwise walks the
 * stored order and skips subjects that the filters leave out.
 */
export async function listSubjectsByField(
  db: Db,
  tenant: TenantId,
  filter: SubjectFilter,
  orderId: number,
  page: PageRequest,
): Promise<Page<{ id: string }>> {
  const sources = sourcesOf(filter)
  const counted = sources.length > 0 ? await sizesOf(db, tenant, sources) : []
  const min = counted.find(({ size }) => size < many)?.source
  const { ids } = filter
  const few = ids
    ? db('subjects').where({ tenant_id: tenant }).whereIn('id', ids).select('id as owner')
    : min && rowsOf(db, tenant, min, 'd').distinct('d.subject_id as owner')
  const found = await orderedPage(db, tenant, { list: 'subject', orderId }, page, {
    restrict: query =>
      restrict(
        db,
        tenant,
        filter,
        query,
        sources.filter(source => ids || source !== min),
      ),
    count: async () => {
      const any = { column: 'id', descending: false, first: 1 }
      return (await listSubjects(db, tenant, filter, any)).totalCount
    },
    few,
  })
  return { ...found, rows: found.rows.map(({ owner, sort }) => ({ id: owner, [page.column]: sort })) }
}

function sourcesOf({ entities, values }: SubjectFilter): Source[] {
  const holding = (hashes: ValueHash[]): Source => ({
    table: 'subject_values',
    column: 'value_hash',
    keys: new Set(hashes.map(toBytes)),
  })
  return [
    ...(entities ? [{ table: 'subject_locations', column: 'entity_key', keys: entities.keys } as const] : []),
    ...(values?.match === 'ExactAny' ? [holding(values.hashes)] : []),
    ...(values?.match === 'ExactAll' ? values.hashes.map(each => holding([each])) : []),
  ]
}

type Index = 'PRIMARY' | 'subject_locations_by_subject'

const rowsOf = (db: Db, tenant: TenantId, { table, column, keys }: Source, name: string): Knex.QueryBuilder =>
  indexOf(db, tenant, table, name).whereIn(`${name}.${column}`, [...keys])

/**
 * Restricts a query to subjects that are in every source. One subquery checks many single values, in their order and up to the first that
 * a subject lacks: the time in which VTGate plans a statement doubles with each subquery.
 * @param subject the column of the query with the subject's id.
 */
function requireAll(
  db: Db,
  tenant: TenantId,
  query: Knex.QueryBuilder,
  sources: readonly Source[],
  subject: 'd.subject_id' | 'subjects.id',
): void {
  const { single = [], others = [] } = Object.groupBy(sources, ({ table, keys }) =>
    table === 'subject_values' && keys.size === 1 ? 'single' : 'others',
  )
  for (const [first, ...more] of [...others.map(source => [source]), ...slices(single, joinedChecks)]) {
    if (!first) continue
    const check = checkOf(db, tenant, first).select(db.raw('1')).whereRaw('o.subject_id = ??', [subject])
    for (const [n, { keys }] of more.entries()) {
      const o = `o${n + 1}`
      const on = [`${o}.tenant_id`, tenant, `${o}.value_hash`, ...keys, `${o}.subject_id`, subject]
      const row = 'subject_values AS ?? FORCE INDEX (PRIMARY)'
      check.joinRaw(`STRAIGHT_JOIN ${row} ON ?? = ? AND ?? = ? AND ?? = ??`, [o, ...on])
    }
    query.whereExists(check)
  }
}

/** Returns a query that finds a row of the source for a given subject. With many entity keys it reads the subject's own few places. */
const checkOf = (db: Db, tenant: TenantId, source: Source): Knex.QueryBuilder =>
  source.table === 'subject_locations' && source.keys.size > checkedKeys
    ? indexOf(db, tenant, source.table, 'o', 'subject_locations_by_subject').whereIn('o.entity_key', [...source.keys])
    : rowsOf(db, tenant, source, 'o')

/** Returns a query of all rows of an index. The index is named, because for a small tenant MariaDB would choose the one by subject. */
const indexOf = (
  db: Db,
  tenant: TenantId,
  table: Source['table'],
  name: string,
  index: Index = 'PRIMARY',
): Knex.QueryBuilder =>
  db.from(db.raw('?? AS ?? FORCE INDEX (??)', [table, name, index])).where(`${name}.tenant_id`, tenant)

/**
 * Finds the source with the fewest rows. The list walks it and checks each of its subjects against the other sources, the smaller ones
 * first. A single source of few keys is not counted, because its size decides nothing.
 */
async function fewest(
  db: Db,
  tenant: TenantId,
  sources: readonly Source[],
): Promise<{ source: Source; size: number; others: Source[] }> {
  const [only] = sources
  if (only && sources.length === 1 && only.keys.size <= mergedKeys) return { source: only, size: many, others: [] }
  const [min, ...others] = await sizesOf(db, tenant, sources)
  if (!min) throw new Error('No source was counted')
  return { ...min, others: others.map(({ source }) => source) }
}

/** Counts the rows of each source, up to {@link many}. Returns the smallest source first. */
async function sizesOf(
  db: Db,
  tenant: TenantId,
  sources: readonly Source[],
): Promise<{ source: Source; size: number }[]> {
  const sizes = await countUpTo(
    db,
    many,
    sources.map(source => rowsOf(db, tenant, source, 's').select('s.subject_id')),
  )
  return sources.map((source, n) => ({ source, size: sizes[n] ?? many })).sort((a, b) => a.size - b.size)
}
