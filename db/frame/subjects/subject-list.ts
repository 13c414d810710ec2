// The subject list: filters by entity and by value.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import { toBytes, type ValueHash } from './subject-values.js'

export interface SubjectFilter {
  /** Assigned to any of these. */
  entityKeys?: string[] | undefined
  /** Holding all, or any, of these values. */
  values?: { match: 'ExactAll' | 'ExactAny'; hashes: ValueHash[] } | undefined
}

/** Rows of an index that each name a subject: those with any of the keys. In one key's rows the subjects are sorted. */
interface Source {
  table: 'subject_locations' | 'subject_values'
  column: 'entity_key' | 'value_hash'
  keys: (string | Buffer)[]
}

/** Rows counted to find the source with the fewest; more are many. */
const many = 5_000

/** One page of the ids of filtered subjects. Reads as much of the indexes as the page is long, but for the total count. */
export async function listSubjects(
  db: Db,
  tenant: TenantId,
  filter: SubjectFilter,
  page: PageRequest,
): Promise<Page<{ id: string }>> {
  const sources = sourcesOf(filter)
  if (sources.length === 0) return readPage(() => db('subjects').where({ tenant_id: tenant }).select('id'), 'id', page)
  const driver = await fewest(db, tenant, sources)
  const others = sources.filter(source => source !== driver)
  const of = (keys: Source['keys']) => {
    const query = rowsOf(db, tenant, { ...driver, keys }, 'd')
    for (const other of others) {
      query.whereExists(rowsOf(db, tenant, other, 'o').select(db.raw('1')).whereRaw('o.subject_id = d.subject_id'))
    }
    return query
  }
  return readPage<{ id: string }>(
    () => driver.keys.map(key => of([key]).select('d.subject_id as id')),
    'd.subject_id',
    { ...page, column: 'd.subject_id' },
    {
      alias: 'id',
      db,
      count: async () => Number((await of(driver.keys).countDistinct({ total: 'd.subject_id' }).first())?.total),
    },
  )
}

function sourcesOf({ entityKeys, values }: SubjectFilter): Source[] {
  const holding = (hashes: ValueHash[]): Source => ({
    table: 'subject_values',
    column: 'value_hash',
    keys: hashes.map(toBytes),
  })
  return [
    ...(entityKeys ? [{ table: 'subject_locations', column: 'entity_key', keys: entityKeys } as const] : []),
    ...(values?.match === 'ExactAny' ? [holding(values.hashes)] : []),
    ...(values?.match === 'ExactAll' ? values.hashes.map(each => holding([each])) : []),
  ]
}

const rowsOf = (db: Db, tenant: TenantId, { table, column, keys }: Source, name: string): Knex.QueryBuilder =>
  db
    // In a small tenant MariaDB would rather read all of it by subject.
    .from(db.raw('?? AS ?? FORCE INDEX (PRIMARY)', [table, name]))
    .where(`${name}.tenant_id`, tenant)
    .whereIn(`${name}.${column}`, keys)

/** The source that the others are looked up from. */
async function fewest(db: Db, tenant: TenantId, sources: readonly Source[]): Promise<Source> {
  const [only] = sources
  if (sources.length === 1 && only) return only
  const counts = sources.map((source, n) =>
    db
      .count({ size: '*' })
      .select(db.raw('? as n', [n]))
      .from(rowsOf(db, tenant, source, 's').select('s.subject_id').limit(many).as('some')),
  )
  const rows: { n: number; size: number }[] = await db.queryBuilder().unionAll(counts, true)
  const [least] = rows.sort((a, b) => Number(a.size) - Number(b.size))
  const found = sources[Number(least?.n)]
  if (!found) throw new Error('No source was counted')
  return found
}
