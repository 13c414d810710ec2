// The last pass of an import of structural entities: rows are judged by the hierarchy, and written, parents before children.
import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { groupedBy } from '../../rows.js'
import { lockHierarchy, setHierarchyVersion } from '../hierarchy/hierarchy.js'
import { writeEntities } from '../hierarchy/structural-entities.js'
import {
  type EntityInput,
  type EntityRules,
  judgeEntities,
  type PlannedEntity,
} from '../hierarchy/structural-entity-plan.js'
import { structureTypeStore } from '../hierarchy/structure-types.js'
import { type Existing, existingEntities, stateOf, type Types, withKept } from './entity-comparison.js'
import { stepFrom } from './entity-import.js'
import { entityReader } from './entity-rows.js'
import {
  countsOf,
  pageOfStaged,
  placedByUpload,
  type StagedPage,
  type StagedState,
  type Upload,
  type WritePlace,
} from './entity-staging.js'
import { type Import, type ImportIds, refusedLate } from './imports.js'
import { keepRejects, type Reject } from './rejects.js'
import { type ReadRow, type RowFormat, readRows } from './rows.js'

/** Rows that are next to be written, with the types by which they were read. */
export interface WritePage extends StagedPage {
  types: Types
  read: ReadRow<EntityInput>[]
}

/** Reads the rows that are next to be written, while those before are. */
export async function readPage(
  db: Db,
  upload: Upload,
  from: WritePlace,
  format: RowFormat,
  types: Types,
): Promise<WritePage> {
  const page = await pageOfStaged(db, upload, from)
  return { ...page, types, read: readRows(page.rows, format, entityReader(types)) }
}

/**
 * Writes rows of one depth as one step of their job. They are judged again by the hierarchy of now, which others may have changed.
 * @param readOn begins to read the next page: called where the database has more to do than this process.
 * @throws Problem 409 where a row of an import of all or none is refused; as {@link stepFrom}.
 */
export const writePage = (
  db: Db,
  tenant: TenantId,
  ids: ImportIds,
  page: WritePage,
  format: Import,
  rules: EntityRules,
  readOn: () => void,
): Promise<JobProgress> =>
  stepFrom(db, tenant, ids, { pass: 'write', ...page.from }, async (trx, job) => {
    const { jobId, fileId } = ids
    const version = await lockHierarchy(trx, tenant)
    const { rejects, changed, states } = await judgePage(trx, tenant, page, format, {
      ...rules,
      placedElsewhere: placedByUpload(fileId),
    })
    const [reject] = rejects
    if (reject && format.mode === 'all') throw refusedLate(job, reject)
    readOn()
    if (changed.length > 0) {
      await writeEntities(trx, tenant, changed)
      await setHierarchyVersion(trx, tenant, version + 1)
    }
    await keepRejects(trx, tenant, jobId, rejects)
    return {
      done: job.done + page.rows.length,
      end: page.next === undefined ? 'all' : undefined,
      counts: countsOf(states),
      ...(page.next ? { position: JSON.stringify({ pass: 'write', ...page.next }) } : {}),
    }
  })

interface JudgedPage {
  rejects: Reject[]
  /** The entities to write: not those that are as their rows say. */
  changed: PlannedEntity[]
  states: StagedState[]
}

/** Judges rows inside the transaction that holds the hierarchy. */
async function judgePage(
  trx: Knex.Transaction,
  tenant: TenantId,
  page: WritePage,
  format: RowFormat,
  rules: EntityRules,
): Promise<JudgedPage> {
  const { types, read } = await currentRows(trx, tenant, page, format)
  const rejects: Reject[] = []
  const refuse = ({ number, bytes }: ReadRow<EntityInput>, faults: Reject['faults']) =>
    rejects.push({ row: number, faults, content: bytes })
  // Since they were staged, the types have changed.
  for (const row of read) if (row.faults.length > 0) refuse(row, row.faults)
  const sound = read.filter(({ faults }) => faults.length === 0)
  const keys = sound.flatMap(({ input }) => input?.Key ?? [])
  const existing = await existingEntities(trx, tenant, keys)
  let rest = withKept(sound, existing, types, format)
  for (;;) {
    const items = rest.map(({ item }) => item)
    const { faults, planned } = await judgeEntities(trx, tenant, items, rules, { own: existing })
    if (faults.length === 0) {
      const outcomes = outcomesIn(planned, items, existing)
      const states = [...outcomes.states, ...rejects.map((): StagedState => 'refused')]
      return { rejects: rejects.toSorted((a, b) => a.row - b.row), changed: outcomes.changed, states }
    }
    const ofRow = groupedBy(faults, ({ n }) => n)
    for (const [n, found] of ofRow) {
      const row = rest[n]?.row
      if (!row) continue
      const ofColumns = found.map(({ pointer, code, detail }) => ({ column: row.columnOf(pointer), code, detail }))
      refuse(row, ofColumns)
    }
    // A row that was right beside a refused one may not be right without it.
    rest = rest.filter((_, n) => !ofRow.has(n))
  }
}

function outcomesIn(
  planned: readonly PlannedEntity[],
  items: readonly EntityInput[],
  existing: ReadonlyMap<string, Existing>,
): Pick<JudgedPage, 'changed' | 'states'> {
  const byKey = new Map(items.map(item => [item.Key, item]))
  const changed: PlannedEntity[] = []
  const states = planned.map((entity): StagedState => {
    const [, key, , , , , , values, isMoved] = entity
    const item = byKey.get(key)
    const state = item ? stateOf(item, values, existing.get(key)) : 'created'
    if (state === 'unchanged' && !isMoved) return state
    changed.push(entity)
    return state === 'unchanged' ? 'updated' : state
  })
  return { changed, states }
}

/** The rows of a page, read again where a type of theirs is another now. */
async function currentRows(
  trx: Knex.Transaction,
  tenant: TenantId,
  { rows, read, types }: WritePage,
  format: RowFormat,
): Promise<{ types: Types; read: ReadRow<EntityInput>[] }> {
  const current = await structureTypeStore(trx, tenant).byKeys(
    read.flatMap(({ input }) => input?.StructureTypeKey ?? []),
  )
  const isSame = read.every(({ input }) => {
    const key = input?.StructureTypeKey ?? ''
    return current.get(key) === types.get(key) || isDeepStrictEqual(current.get(key), types.get(key))
  })
  return isSame ? { types, read } : { types: current, read: readRows(rows, format, entityReader(current)) }
}
