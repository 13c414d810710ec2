// The first phase of an import of structural entities: rows are read, and judged by their own content.
import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../../runtime/problem.js'
import { memberOf } from '../../../runtime/schema/member-of.js'
import type { RowBatch, RowPlace } from '../../../runtime/text-rows.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Step } from '../../jobs/advance.js'
import { writeChunks } from '../../jobs/chunks.js'
import type { JobRow } from '../../jobs/jobs.js'
import { groupedBy, slices } from '../../rows.js'
import type { Known } from '../hierarchy/hierarchy-state.js'
import {
  type EntityEffect,
  type EntityInput,
  type EntityRules,
  judgeItems,
} from '../hierarchy/structural-entity-plan.js'
import type { StructureType } from '../hierarchy/structure-types.js'
import { dataTypesByTypeKey } from '../subjects/custom-field.js'
import { givenOf, listOf, type StoredValues } from '../subjects/custom-fields.js'
import type { ReadEntity } from './entity-order.js'
import { entityReader, fieldsWithColumn } from './entity-rows.js'
import { type Import, type ImportIds, importOf, refuseRefused } from './imports.js'
import { keepRejects, type Reject } from './rejects.js'
import { entryOf, type ReadRow, type RowFormat, readRows } from './rows.js'

/**
 * How far an import of entities is: kept as the job's position. `read`: its next row begins at `byte`, and the rows before it have
 * `text` characters. `plan`: all rows are read. `write`: they have their order, and are written once `end` items of the job are done.
 */
export type EntityImportPlace =
  | ({ pass: 'read'; text: number } & RowPlace)
  | { pass: 'plan' }
  | { pass: 'write'; end: number }

export const entityPlaceOf = ({ input, position }: Pick<JobRow, 'input' | 'position'>): EntityImportPlace =>
  position === null ? { pass: 'read', text: 0, ...importOf({ input }).begin } : JSON.parse(position)

/** Rows and bytes that are read in one transaction. Nobody waits for it. */
export const entityRowsAtOnce = { rows: 4_000, bytes: 1024 * 1024 }

/** Rows of the largest import, and characters of their names and values. One worker plans all of them at once, in some 500 MB. */
const mostRows = 500_000
const mostText = 150_000_000

/** Structure types by their keys. */
export type Types = ReadonlyMap<string, StructureType>

/** An entity as it is now. */
export interface StoredEntity extends Known {
  displayName: string
  values: string | null
}

/** Reads entities by their keys. */
export async function storedEntities(
  db: Db,
  tenant: TenantId,
  keys: readonly string[],
): Promise<Map<string, StoredEntity>> {
  const found = new Map<string, StoredEntity>()
  for (const some of slices([...new Set(keys)], 2_000)) {
    const rows: ({ key: string } & StoredEntity)[] = await db('structural_entities')
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

/** Adds the stored values of fields that have no column in a CSV, where the type of the row has such a field. */
export function withStoredValues(
  item: EntityInput,
  before: StoredEntity | undefined,
  types: Types,
  { format, columns = [] }: RowFormat,
): EntityInput {
  if (format !== 'csv') return item
  const withColumn = fieldsWithColumn(columns)
  const ofRow = (item.CustomFieldValues ?? []).filter(({ Key }) => withColumn.has(Key))
  const values: StoredValues = JSON.parse(before?.values ?? '{}')
  const fields = types.get(item.StructureTypeKey)?.customFields ?? []
  const kept = Object.entries(values).filter(([key, value]) => {
    const field = fields.find(each => each.key === key && !withColumn.has(key))
    const allowed: readonly string[] = field ? dataTypesByTypeKey[field.typeKey] : []
    return listOf(value).every(([dataType]) => allowed.includes(dataType))
  })
  return { ...item, CustomFieldValues: [...ofRow, ...givenOf(Object.fromEntries(kept))] }
}

/** What writing an item would do to its entity. @param values those of the item as they are stored. */
export function effectOf(item: EntityInput, values: string | null, before: StoredEntity | undefined): EntityEffect {
  if (!before) return 'created'
  if (before.parentKey !== (item.ParentKey ?? null)) return 'moved'
  const isSame =
    before.displayName === item.DisplayName &&
    before.typeKey === item.StructureTypeKey &&
    (before.values === values || isDeepStrictEqual(parsed(before.values), parsed(values)))
  return isSame ? 'unchanged' : 'updated'
}

const parsed = (values: string | null): unknown => JSON.parse(values ?? 'null')

/** Rows that were read and judged by their own content. */
export interface EntityBatch extends RowBatch {
  from: RowPlace
  entities: ReadEntity[]
  rejects: Reject[]
}

/** Reads the rows of a batch, and judges each by itself. It writes nothing. */
export async function readEntities(
  db: Db,
  tenant: TenantId,
  from: RowPlace,
  batch: RowBatch,
  format: RowFormat,
  types: Types,
  rules: Pick<EntityRules, 'allows'>,
): Promise<EntityBatch> {
  const read = readRows<EntityInput>(batch.rows, format, entityReader(types))
  const keys = read.map(keyOf)
  const defined = keys.filter(key => key !== undefined)
  const stored = await storedEntities(db, tenant, defined)
  const judgeable = read.flatMap(row => {
    const { input } = row
    return input ? [{ row, item: withStoredValues(input, stored.get(input.Key), types, format) }] : []
  })
  const items = judgeable.map(({ item }) => item)
  const { faults, values } = await judgeItems(db, tenant, items, { types, entities: stored }, rules)
  for (const [n, ofRow] of groupedBy(faults, fault => fault.n)) {
    const row = judgeable[n]?.row
    // What is said of the form of a value is not said again.
    for (const { pointer, code, detail } of ofRow)
      if (!row?.faulty.has(entryOf(pointer))) row?.faults.push({ column: row.columnOf(pointer), code, detail })
  }
  const sound = new Map(
    judgeable.map(({ row, item }, n): [typeof row, ReadEntity] => {
      const { Key, DisplayName, ParentKey = null, StructureTypeKey } = item
      const own = values[n] ?? null
      const effect = effectOf(item, own, stored.get(Key))
      const outcome = effect === 'created' ? 'created' : 'updated'
      return [row, [row.number, Key, 0, outcome, DisplayName, ParentKey, StructureTypeKey, own, 0, effect]]
    }),
  )
  const entities: ReadEntity[] = []
  const rejects: Reject[] = []
  for (const [n, row] of read.entries()) {
    const entity = sound.get(row)
    const key = keys[n]
    if (entity && row.faults.length === 0) entities.push(entity)
    else {
      rejects.push({ row: row.number, faults: row.faults, content: row.bytes })
      if (key !== undefined) entities.push([row.number, key, 0, 'created', null])
    }
  }
  return { ...batch, from, entities, rejects }
}

/** The key of a row, where it is one. */
function keyOf({ value, faulty }: ReadRow<EntityInput>): string | undefined {
  const key = memberOf(value, 'Key')
  return typeof key === 'string' && !faulty.has('/Key') ? key : undefined
}

/**
 * Keeps the rows of a batch for the plan, as one step of their job. A batch that is not the job's next is left alone.
 * @param version that of the hierarchy before the types were read by which the rows are judged.
 * @param readNext begins to read the next batch: called where the database has more to do than this process.
 * @throws Problem 400 where too many rows are refused; 413 where the file has too many; as {@link advance}.
 */
export const keepRead = (
  db: Db,
  tenant: TenantId,
  run: ImportIds,
  { from, entities, rejects, rows, next }: EntityBatch,
  format: Import,
  version: number,
  readNext: () => void,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job): Promise<Step | undefined> => {
    const { jobId } = run
    refuseRefused(job, jobId)
    const place = entityPlaceOf(job)
    if (place.pass !== 'read' || place.byte !== from.byte) return undefined
    const done = job.done + rows.length
    const text = entities.reduce((sum, [, key, , , name, , , values]) => sum + lengthOf(key, name, values), place.text)
    if (done > mostRows || text > mostText) throw tooLarge
    readNext()
    await writeChunks(trx, tenant, jobId, entities, job.done)
    await keepRejects(trx, tenant, jobId, rejects)
    const isLast = next.byte >= format.bytes
    return {
      ...{ done, end: undefined },
      counts: rejects.length > 0 ? { refused: rejects.length } : {},
      position: JSON.stringify(isLast ? { pass: 'plan' } : { pass: 'read', text, ...next }),
      // Where anybody writes to the hierarchy from here on, the rows are judged again when they are written.
      ...(job.position === null ? { planVersion: version } : {}),
    }
  })

const lengthOf = (...texts: (string | null | undefined)[]) => texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)

const tooLarge = new Problem(
  'import-too-large',
  `The file has over ${mostRows.toLocaleString('en')} rows, or their keys, names and values have over ` +
    `${mostText.toLocaleString('en')} characters. Nothing was written. Split it by level, so that parents come in an earlier ` +
    'file, and import one file after the other.',
)
