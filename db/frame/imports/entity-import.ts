// Imports structural entities, step by step: stages their rows, orders them, and writes them, parents before children.
import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { memberOf } from '../../../runtime/schema/member-of.js'
import type { RowBatch, RowPlace } from '../../../runtime/text-rows.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Counts, type Step } from '../../jobs/advance.js'
import type { JobRow } from '../../jobs/jobs.js'
import { groupedBy, slices } from '../../rows.js'
import { lockHierarchy, setHierarchyVersion } from '../hierarchy/hierarchy.js'
import type { Known } from '../hierarchy/hierarchy-state.js'
import { writeEntities } from '../hierarchy/structural-entities.js'
import {
  type EntityFault,
  type EntityInput,
  type EntityRules,
  judgeEntities,
  judgeItems,
  type PlannedEntity,
} from '../hierarchy/structural-entity-plan.js'
import { type StructureType, structureTypeStore } from '../hierarchy/structure-types.js'
import { dataTypesByTypeKey } from '../subjects/custom-field.js'
import { givenOf, listOf, type StoredValues } from '../subjects/custom-fields.js'
import { type Allows, missingPermissions } from '../users/upsert-permission.js'
import { beginOrder, type OrderPlace, orderNext } from './entity-places.js'
import { entityReader, fieldsWithColumn } from './entity-rows.js'
import {
  countsOf,
  missing,
  outcomesOf,
  pageOfStaged,
  placedByUpload,
  type Staged,
  type StagedPage,
  type StagedState,
  stagedRows,
  type Upload,
  unplaced,
  type WritePlace,
} from './entity-staging.js'
import {
  type Import,
  type ImportIds,
  importOf,
  refusedLate,
  refusedOf,
  refusedPosition,
  refuseRefused,
} from './imports.js'
import { keepRejects, type Reject } from './rejects.js'
import { entryOf, type ReadRow, type RowFault, type RowFormat, readRows } from './rows.js'

/** How far an import of entities is: kept as the job's position. */
export type EntityImportPlace = ({ pass: 'stage' } & RowPlace) | OrderPlace | ({ pass: 'write' } & WritePlace)

/** Rows that are staged in one transaction. Nobody waits for it. */
export const stagedAtOnce = { rows: 4_000, bytes: 1024 * 1024 }

export const entityPlaceOf = ({ input, position }: Pick<JobRow, 'input' | 'position'>): EntityImportPlace =>
  position === null ? { pass: 'stage', ...importOf({ input }).begin } : JSON.parse(position)

const isSamePlace = (one: EntityImportPlace, other: EntityImportPlace): boolean => isDeepStrictEqual(one, other)

type Types = ReadonlyMap<string, StructureType>

/** An entity as it is now. */
interface Existing extends Known {
  displayName: string
  values: string | null
}

/** A row with its entity, as it is to be staged. */
interface JudgedRow {
  row: ReadRow<EntityInput>
  /** Undefined where it cannot be told. */
  key: string | undefined
  existing: Existing | undefined
  state: StagedState
}

/** Rows that were read and judged by themselves, to be staged. */
export interface StageBatch extends RowBatch {
  from: EntityImportPlace
  judged: JudgedRow[]
}

/** Reads and judges the rows of a batch, but for the permissions of the client. It writes nothing. */
export async function readStage(
  db: Db,
  tenant: TenantId,
  from: EntityImportPlace,
  batch: RowBatch,
  format: RowFormat,
  types: Types,
): Promise<StageBatch> {
  const read = readRows<EntityInput>(batch.rows, format, entityReader(types))
  const keys = read.map(keyOf)
  const existing = await existingEntities(
    db,
    tenant,
    keys.filter(key => key !== undefined),
  )
  const items = withKept(read, existing, types, format)
  const { faults, values } = await judgeItems(
    db,
    tenant,
    items.map(({ item }) => item),
    { types, entities: existing },
    { allows: () => true },
  )
  const ofRow = groupedBy(faults, ({ n }) => n)
  const states = new Map<ReadRow<EntityInput>, StagedState>()
  for (const [n, { row, item }] of items.entries()) {
    addFaults(row, ofRow.get(n) ?? [])
    // The database ignores blanks at the end of a text; no key has any.
    const parent = item.ParentKey ?? null
    if (parent !== null && parent !== parent.trimEnd()) addFaults(row, [unknownParent(n, parent)])
    states.set(row, stateOf(item, values[n] ?? null, existing.get(item.Key)))
  }
  const judged = read.map((row, n): JudgedRow => {
    const key = keys[n]
    const state = row.faults.length > 0 ? 'refused' : (states.get(row) ?? 'refused')
    return { row, key, existing: key === undefined ? undefined : existing.get(key), state }
  })
  return { ...batch, from, judged }
}

const unknownParent = (n: number, parent: string): EntityFault => ({
  n,
  kind: 'item',
  pointer: '/ParentKey',
  code: 'unknown-parent',
  detail: `There is no structural entity '${parent}': no key has blanks at its end.`,
})

/** The key of a row, where it is one. */
function keyOf({ value, faulty }: ReadRow<EntityInput>): string | undefined {
  const key = memberOf(value, 'Key')
  return typeof key === 'string' && !faulty.has('/Key') ? key : undefined
}

/** Adds faults to a row, but for those about values whose form is at fault. */
function addFaults(row: ReadRow<EntityInput>, faults: readonly EntityFault[]): void {
  for (const { pointer, code, detail } of faults) {
    if (row.faulty.has(entryOf(pointer))) continue
    row.faults.push({ column: row.columnOf(pointer), code, detail })
  }
}

async function existingEntities(db: Db, tenant: TenantId, keys: readonly string[]): Promise<Map<string, Existing>> {
  const found = new Map<string, Existing>()
  for (const some of slices([...new Set(keys)], 2_000)) {
    const rows: ({ key: string } & Existing)[] = await db('structural_entities')
      .where({ tenant_id: tenant })
      .whereIn('entity_key', some)
      .select({
        ...{ key: 'entity_key', displayName: 'display_name', parentKey: 'parent_key' },
        ...{ depth: 'depth', typeKey: 'type_key', values: 'custom_values' },
      })
    for (const { key, ...entity } of rows) found.set(key, entity)
  }
  return found
}

/** A row that can be judged, and its item. */
interface RowItem {
  row: ReadRow<EntityInput>
  item: EntityInput
}

/** The items of rows. A field of a CSV without a column keeps its value, where the type of the row has that field. */
function withKept(
  rows: readonly ReadRow<EntityInput>[],
  existing: ReadonlyMap<string, Existing>,
  types: Types,
  { format, columns = [] }: RowFormat,
): RowItem[] {
  const given = fieldsWithColumn(columns)
  return rows.flatMap((row): RowItem[] => {
    const { input } = row
    if (!input) return []
    const before = format === 'csv' ? existing.get(input.Key)?.values : null
    const fields = types.get(input.StructureTypeKey)?.customFields.filter(({ key }) => !given.has(key)) ?? []
    if (before == null || fields.length === 0) return [{ row, item: input }]
    const values: StoredValues = JSON.parse(before)
    const kept = Object.entries(values).filter(([key, value]) => {
      const field = fields.find(each => each.key === key)
      const allowed: readonly string[] = field ? dataTypesByTypeKey[field.typeKey] : []
      return listOf(value).every(([dataType]) => allowed.includes(dataType))
    })
    const CustomFieldValues = [...(input.CustomFieldValues ?? []), ...givenOf(Object.fromEntries(kept))]
    return [{ row, item: { ...input, CustomFieldValues } }]
  })
}

/** The outcome of a sound row. */
function stateOf(item: EntityInput, values: string | null, before: Existing | undefined): StagedState {
  if (!before) return 'created'
  if (before.parentKey !== (item.ParentKey ?? null)) return 'moved'
  const isSame =
    before.displayName === item.DisplayName &&
    before.typeKey === item.StructureTypeKey &&
    (before.values === values || isDeepStrictEqual(parsed(before.values), parsed(values)))
  return isSame ? 'unchanged' : 'updated'
}

const parsed = (values: string | null): unknown => JSON.parse(values ?? 'null')

/**
 * Stages a batch as one step of its job. A batch that is not the job's next is left alone.
 * @param readOn begins to read the next batch: called where the database has more to do than this process.
 * @throws Problem 400 where too many rows are refused; as {@link advance}.
 */
export const stageBatch = (
  db: Db,
  tenant: TenantId,
  { jobId, fileId }: ImportIds,
  { from, judged, rows, next }: StageBatch,
  format: Import,
  allows: Allows,
  readOn: () => void,
): Promise<JobProgress> =>
  advance(db, tenant, jobId, async (trx, job): Promise<Step | undefined> => {
    refuseRefused(job, jobId)
    if (!isSamePlace(entityPlaceOf(job), from)) return undefined
    const upload = { tenant, fileId }
    const known = new Set(judged.flatMap(({ key, existing }) => (existing && key !== undefined ? [key] : [])))
    const keys = judged.map(({ key }) => key ?? '')
    const forbidden = missingPermissions(keys, key => known.has(key), allows, 'StructuralEntity')
    const withoutPermission = new Map(forbidden.map(({ n, detail }) => [n, detail]))
    const faultsOf = judged.map(({ row }, n): RowFault[] => {
      const permission = row.input ? withoutPermission.get(n) : undefined
      if (permission === undefined) return [...row.faults]
      return [...row.faults, { column: '', code: 'missing-permission', detail: permission }]
    })
    const first = new Map<string, number>()
    const staged: Staged[] = []
    for (const [n, { row, key, existing, state }] of judged.entries()) {
      if (key === undefined || first.has(key)) continue
      first.set(key, row.number)
      staged.push(faultsOf[n]?.length ? refusedRow(key, row, existing) : soundRow(key, row, state))
    }
    readOn()
    for (const [key, row] of await stagedRows(trx, upload).add(staged)) first.set(key, row)
    const rejects: Reject[] = []
    const states = judged.map(({ row, key, state }, n): StagedState => {
      const faults = faultsOf[n] ?? []
      const before = key === undefined ? row.number : (first.get(key) ?? row.number)
      if (before !== row.number) {
        const detail = `The key '${key}' is given twice, first in row ${before}.`
        faults.push({ column: row.columnOf('/Key'), code: 'duplicate-key', detail })
      }
      if (faults.length === 0) return state
      rejects.push({ row: row.number, faults, content: row.bytes })
      return 'refused'
    })
    await keepRejects(trx, tenant, jobId, rejects)
    const isLast = next.byte >= format.bytes
    const then: EntityImportPlace = isLast ? await beginOrder(trx, upload) : { pass: 'stage', ...next }
    const counts = format.dryRun ? countsOf(states) : countsOf(states.filter(state => state === 'refused'))
    return {
      done: job.done + rows.length,
      ended: false,
      counts: countedIn(format, counts),
      position: JSON.stringify(then),
    }
  })

/** Before all rows are checked, an import of all or none has written none, and counts the refused ones alone. */
function countedIn({ mode, dryRun }: Import, counts: Counts): Step['counts'] {
  if (mode !== 'all' || dryRun) return counts
  return before => {
    const refused = (before.refused ?? 0) + (counts.refused ?? 0)
    return refused > 0 ? { refused } : {}
  }
}

function soundRow(key: string, { number, bytes, input }: ReadRow<EntityInput>, state: StagedState): Staged {
  const parentKey = input?.ParentKey ?? null
  return { key, parentKey, row: number, state, depth: parentKey === null ? 1 : unplaced, content: bytes }
}

/** Its entity stays where it is; one that is new is nowhere. */
function refusedRow(key: string, { number }: ReadRow<EntityInput>, existing: Existing | undefined): Staged {
  const parentKey = existing?.parentKey ?? null
  const depth = existing ? (parentKey === null ? 1 : unplaced) : missing
  return { key, parentKey, row: number, state: 'refused', depth, content: null }
}

const columnOfParent = ({ format, columns = [] }: RowFormat): string =>
  format === 'ndjson' ? '/ParentKey' : (columns.find(({ field }) => field === 'ParentKey')?.column ?? '')

/**
 * Orders the next staged rows, as one step of their job.
 * @throws Problem 400 where rows are refused; as {@link advance}.
 */
export const orderStep = (
  db: Db,
  tenant: TenantId,
  { jobId, fileId }: ImportIds,
  from: OrderPlace,
  format: Import,
  { maxDepth }: Pick<EntityRules, 'maxDepth'>,
): Promise<JobProgress> =>
  advance(db, tenant, jobId, async (trx, job): Promise<Step | undefined> => {
    refuseRefused(job, jobId)
    if (!isSamePlace(entityPlaceOf(job), from)) return undefined
    const isCheck = format.dryRun || format.mode === 'all'
    const { next, refused } = await orderNext(trx, { tenant, fileId }, from, {
      ...{ jobId, maxDepth, isCheck },
      column: columnOfParent(format),
    })
    const counts = countsOf(refused.map(() => 'refused'))
    // A dry run has counted them by what they would have done.
    if (format.dryRun)
      for (const outcome of refused.flatMap(state => outcomesOf[state])) counts[outcome] = (counts[outcome] ?? 0) - 1
    const step = { done: job.done, counts: countedIn(format, counts) }
    if (next) return { ...step, ended: false, position: JSON.stringify(next) }
    if (format.dryRun) return { ...step, ended: true }
    const isRefused = format.mode === 'all' && refusedOf(job) + refused.length > 0
    const write: EntityImportPlace = { pass: 'write', depth: 1, after: '' }
    return { ...step, ended: false, position: isRefused ? refusedPosition : JSON.stringify(write) }
  })

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
 * @param readOn begins to read the next page, as of {@link stageBatch}.
 * @throws Problem 400 where too many rows are refused; 409 where one of an import of all or none is; as {@link advance}.
 */
export const writePage = (
  db: Db,
  tenant: TenantId,
  { jobId, fileId }: ImportIds,
  page: WritePage,
  format: Import,
  rules: EntityRules,
  readOn: () => void,
): Promise<JobProgress> =>
  advance(db, tenant, jobId, async (trx, job): Promise<Step | undefined> => {
    refuseRefused(job, jobId)
    const { from, next } = page
    if (!isSamePlace(entityPlaceOf(job), { pass: 'write', ...from })) return undefined
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
      ended: next === undefined,
      counts: countsOf(states),
      ...(next ? { position: JSON.stringify({ pass: 'write', ...next }) } : {}),
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
