// Rows of an upload of entities, staged by key until their order is known.
import type { Knex } from 'knex'
import type { TextRow } from '../../../runtime/text-rows.js'
import type { Db, TenantId } from '../../connect.js'
import type { Counts } from '../../jobs/advance.js'
import { type Cell, groupedBy, insertMissing, slices, upsertRows } from '../../rows.js'
import type { Condition } from '../hierarchy/hierarchy-state.js'
import type { RowFault } from './rows.js'

/** The outcome of a row. `above`: there is no row; the entity is above that of one. */
export type StagedState = 'created' | 'updated' | 'moved' | 'unchanged' | 'refused' | 'above'

/** An upload of a tenant. */
export interface Upload {
  tenant: TenantId
  fileId: string
}

/** An entity as it is staged. */
export interface Staged {
  key: string
  /** Of a refused row that of the entity as it is, where there is one. */
  parentKey: string | null
  /** 0: there is no row. */
  row: number
  state: StagedState
  /** 1 for a root, {@link unplaced} for all others. */
  depth: number
  /** The row as it came, until it is refused. */
  content: Buffer | null
}

/** Depth of an entity whose place is not known yet. */
export const unplaced = 0

/** Depth of a refused row whose entity does not exist: nothing can be below it. The rows below it have lower ones. */
export const missing = -1

/** Depth of an entity whose row is refused, and that stays where it is: what is below it is written after all others. */
export const apart = 1_000_000_000

/** The outcomes that a state counts as. */
export const outcomesOf: Record<StagedState, readonly string[]> = {
  created: ['created'],
  updated: ['updated'],
  moved: ['updated', 'moved'],
  unchanged: ['updated', 'unchanged'],
  refused: ['refused'],
  above: [],
}

/** Rows by outcome, each outcome named. */
export function countsOf(states: readonly StagedState[]): Counts {
  const counts: Counts = { created: 0, updated: 0, moved: 0, unchanged: 0, refused: 0 }
  for (const state of states) for (const outcome of outcomesOf[state]) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** Condition of entities `e` that a sound row of the upload gives a place. */
export const placedByUpload = (fileId: string): Condition => ({
  sql: `EXISTS (SELECT 1 FROM import_entities s WHERE s.tenant_id = e.tenant_id AND s.file_id = ?
    AND s.entity_key = e.entity_key AND s.state NOT IN ('refused', 'above'))`,
  bindings: [fileId],
})

const columns = ['tenant_id', 'file_id', 'entity_key', 'parent_key', 'depth', 'row_no', 'state', 'content']

/** The staged rows of an upload. */
export const stagedRows = (db: Db, { tenant, fileId }: Upload) => {
  /** By an index that is named where the order matters: the server's statistics are old, and it might sort all rows of the upload. */
  const rows = (index?: 'by_depth' | 'by_parent') => {
    const named = index ? db.raw(`import_entities FORCE INDEX (import_entities_${index})`) : 'import_entities'
    return db(named).where({ tenant_id: tenant, file_id: fileId })
  }

  return {
    rows,

    /** The first row of each of some keys that the upload has. */
    async firstRows(keys: readonly string[]): Promise<Map<string, number>> {
      const found = new Map<string, number>()
      for (const some of slices(keys, keysAtOnce)) {
        const known: { entity_key: string; row_no: number }[] = await rows()
          .whereIn('entity_key', some)
          .where('row_no', '>', 0)
          .select('entity_key', 'row_no')
        for (const { entity_key, row_no } of known) found.set(entity_key, row_no)
      }
      return found
    },

    /**
     * Adds those rows, each with another key, whose keys no earlier row has, and all entities that are above them now. Everything
     * above a row is staged then.
     * @returns the earlier rows by key.
     */
    async add(staged: readonly Staged[]): Promise<Map<string, number>> {
      const earlier = await this.addRows(staged.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
      const keys = new Set(staged.map(({ key }) => key))
      const parents = new Set(
        staged.flatMap(({ key, parentKey }) => (parentKey === null || earlier.has(key) ? [] : [parentKey])),
      )
      const elsewhere = [...parents].filter(key => !keys.has(key))
      for (const some of slices(elsewhere, keysAtOnce)) {
        const above = await unstagedAbove(db, { tenant, fileId }, some)
        const added = above.map(({ entity_key: key, parent_key: parentKey }) =>
          cellsOf({ key, parentKey, row: 0, state: 'above', depth: parentKey === null ? 1 : unplaced, content: null }),
        )
        await upsertRows(db, 'import_entities', columns, added, [])
      }
      return earlier
    },

    /** Most rows of an upload are the first of their keys: only where some are not is it asked which. */
    async addRows(staged: readonly Staged[]): Promise<Map<string, number>> {
      const added = await insertMissing(db, 'import_entities', columns, staged.map(cellsOf))
      if (added === staged.length) return new Map()
      const own = new Map(staged.map(({ key, row }) => [key, row]))
      const first = await this.firstRows([...own.keys()])
      // The others were staged as being above some row.
      const above = staged.filter(({ key }) => !first.has(key))
      await upsertRows(db, 'import_entities', columns, above.map(cellsOf), columns.slice(3))
      return new Map([...first].filter(([key, row]) => row !== own.get(key)))
    },

    /** Gives entities a depth. */
    async place(keys: readonly string[], depth: number): Promise<void> {
      for (const some of slices(keys, keysAtOnce)) await rows().whereIn('entity_key', some).update({ depth })
    },

    /** True where an entity has this depth. */
    async hasDepth(depth: number): Promise<boolean> {
      return (await rows('by_depth').where({ depth }).first('entity_key')) !== undefined
    },
  }

  function cellsOf({ key, parentKey, row, state, depth, content }: Staged): Cell[] {
    return [tenant, fileId, key, parentKey, depth, row, state, content]
  }
}

/** Keys of one statement. */
const keysAtOnce = 2_000

/** Entities that are not staged, among these and all that are above them; each once. */
async function unstagedAbove(
  db: Db,
  { tenant, fileId }: Upload,
  keys: readonly string[],
): Promise<{ entity_key: string; parent_key: string | null }[]> {
  const isStaged = `LEFT JOIN import_entities s ON s.tenant_id = e.tenant_id AND s.file_id = ? AND s.entity_key = e.entity_key`
  const [rows] = await db.raw(
    `WITH RECURSIVE above (entity_key, parent_key) AS (
       SELECT e.entity_key, e.parent_key FROM structural_entities e ${isStaged}
       WHERE e.tenant_id = ? AND e.entity_key IN (${keys.map(() => '?')}) AND s.entity_key IS NULL
       UNION
       SELECT e.entity_key, e.parent_key
       FROM above STRAIGHT_JOIN structural_entities e FORCE INDEX (PRIMARY)
         ON e.tenant_id = ? AND e.entity_key = above.parent_key ${isStaged}
       WHERE s.entity_key IS NULL
     ) SELECT entity_key, parent_key FROM above`,
    [fileId, tenant, ...keys, tenant, fileId],
  )
  return rows
}

/** A row that is found to be wrong after it was staged. */
export interface LateRefusal {
  key: string
  row: number
  state: StagedState
  fault: RowFault
}

/**
 * Refuses staged rows: keeps them as they came with their faults, and takes them out of the order.
 * @param depth of those whose entities do not exist; the others stay where they are, {@link apart}. Undefined: each keeps its own.
 */
export async function refuseStaged(
  trx: Knex.Transaction,
  upload: Upload,
  jobId: string,
  refusals: readonly LateRefusal[],
  depth: number | undefined,
): Promise<void> {
  const { rows } = stagedRows(trx, upload)
  for (const some of slices(refusals, faultsAtOnce)) {
    const faults = some.map(({ row, fault }) => [row, JSON.stringify([fault])])
    // Within the database: a row may have 1 MB.
    await trx.raw(
      `INSERT INTO import_rejects (tenant_id, job_id, row_no, faults, content)
       SELECT tenant_id, ?, row_no, CASE row_no ${some.map(() => 'WHEN ? THEN ?').join(' ')} END, content FROM import_entities
       WHERE tenant_id = ? AND file_id = ? AND entity_key IN (${some.map(() => '?')})`,
      [jobId, ...faults.flat(), upload.tenant, upload.fileId, ...some.map(({ key }) => key)],
    )
    const refused = { state: 'refused', content: null }
    for (const [isNew, ofKind] of groupedBy(some, ({ state }) => state === 'created')) {
      const keys = ofKind.map(({ key }) => key)
      const placed = depth === undefined ? {} : { parent_key: null, depth: isNew ? depth : apart }
      await rows()
        .whereIn('entity_key', keys)
        .update({ ...refused, ...placed })
    }
  }
}

/** Rows of one statement that refuses them. */
const faultsAtOnce = 250

/** Place of the next rows to be written, in the order of depths and keys. */
export interface WritePlace {
  depth: number
  after: string
}

/** Rows that are next to be written. */
export interface StagedPage {
  from: WritePlace
  rows: TextRow[]
  /** Undefined: none is left. */
  next: WritePlace | undefined
}

/** Rows and bytes of a page: it is written in one transaction, for which other writers of the hierarchy wait. */
const pageAtOnce = { rows: 2_500, bytes: 2 * 1024 * 1024 }

interface Sized {
  key: string
  depth: number
  /** Null where there is no row to write. */
  size: number | null
}

/** The next page of rows in the order of depths and keys. */
export async function pageOfStaged(db: Db, upload: Upload, from: WritePlace): Promise<StagedPage> {
  const { rows } = stagedRows(db, upload)
  // Two ranges of the index: for one condition on both columns the servers would read the whole depth.
  const sized = (query: Knex.QueryBuilder, limit: number): Promise<Sized[]> =>
    query
      .orderBy(['depth', 'entity_key'])
      .limit(limit)
      .select({ key: 'entity_key', depth: 'depth' }, db.raw('OCTET_LENGTH(content) AS size'))
  const found = await sized(
    rows('by_depth').where({ depth: from.depth }).where('entity_key', '>', from.after),
    pageAtOnce.rows,
  )
  const left = pageAtOnce.rows - found.length
  if (left > 0) found.push(...(await sized(rows('by_depth').where('depth', '>', from.depth), left)))
  const taken: Sized[] = []
  for (let bytes = 0; taken.length < found.length && bytes < pageAtOnce.bytes; ) {
    const next = found[taken.length]
    if (next) taken.push(next)
    bytes += Number(next?.size ?? 0)
  }
  const keys = taken.flatMap(({ key, size }) => (size === null ? [] : [key]))
  const contents: { key: string; row: number; content: Buffer }[] = await rows()
    .whereIn('entity_key', keys)
    .select({ key: 'entity_key', row: 'row_no', content: 'content' })
  const byKey = new Map(contents.map(each => [each.key, each]))
  const last = taken.at(-1)
  const isLast = taken.length === found.length && found.length < pageAtOnce.rows
  return {
    from,
    rows: keys.flatMap(key => {
      const each = byKey.get(key)
      return each ? [{ number: each.row, bytes: each.content, isTooLong: false, isMalformed: false }] : []
    }),
    next: isLast || !last ? undefined : { depth: last.depth, after: last.key },
  }
}
