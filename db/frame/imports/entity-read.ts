// The first phase of an import of structural entities: reads the rows, and judges each by its own content.
import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../../runtime/problems/problem.js'
import type { RowBatch, RowPlace } from '../../../runtime/rows/row-splitter.js'
import { memberOf } from '../../../runtime/schema/member-of.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Step } from '../../jobs/advance.js'
import { writeChunks } from '../../jobs/chunks.js'
import type { JobRow } from '../../jobs/job-row.js'
import { groupedBy, slices } from '../../rows.js'
import { dataTypesByTypeKey } from '../fields/custom-field.js'
import { givenOf, listOf, type StoredValues } from '../fields/custom-fields.js'
import type { StoredEntity } from '../hierarchy/hierarchy-state.js'
import {
  closesEntity,
  type EntityEffect,
  type EntityInput,
  type EntityRules,
  judgeItems,
} from '../hierarchy/structural-entity-plan.js'
import type { StructureType } from '../hierarchy/structure-types.js'
import type { ReadEntity } from './entity-order.js'
import { entityReader, fieldsWithColumn } from './entity-rows.js'
import { type Import, type ImportIds, importOf, refuseRefused } from './imports.js'
import { type Reject, saveRejects } from './rejects.js'
import { entryOf, type ReadRow, type RowFormat, readRows } from './rows.js'

/**
 * How far an import of entities has come; stored as the job's position. `read`: the next row begins at `byte`, and the rows before it
 * have `text` characters in total. `plan`: all rows are read. `write`: the rows are planned, and the import ends when `end` items of the
 * job are done.
 */
export type EntityImportPlace =
  | ({ pass: 'read'; text: number } & RowPlace)
  | { pass: 'plan' }
  | { pass: 'write'; end: number }

export const entityPlaceOf = ({ input, position }: Pick<JobRow, 'input' | 'position'>): EntityImportPlace =>
  position === null ? { pass: 'read', text: 0, ...importOf({ input }).begin } : JSON.parse(position)

/** How much one transaction reads. It may be large, because it locks nothing that others need. */
export const entityRowsAtOnce = { rows: 4_000, bytes: 1024 * 1024 }

/**
 * The most rows of an import, and the most characters of their keys, names and values. A worker plans all rows at once, for which it
 * needs about 500 MB at this size.
 */
const maxRows = 500_000
const maxText = 150_000_000

/** Structure types by their keys. */
export type Types = ReadonlyMap<string, StructureType>

/** An entity as it is stored. */
export interface CurrentEntity extends StoredEntity {
  displayName: string
  values: string | null
}

/** Reads entities by their keys. */
export async function storedEntities(
  db: Db,
  tenant: TenantId,
  keys: readonly string[],
): Promise<Map<string, CurrentEntity>> {
  const found = new Map<string, CurrentEntity>()
  for (const some of slices([...new Set(keys)], 2_000)) {
    const rows: ({ key: string } & CurrentEntity)[] = await db('structural_entities')
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

/**
 * Completes a row of a CSV with the stored values of fields that have no column, so that an import leaves these values unchanged.
 * Skips values that do not fit the type that the row states.
 */
export function withStoredValues(
  item: EntityInput,
  before: CurrentEntity | undefined,
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

/** Tells what writing an item would do to its entity. @param values the item's values in stored form. */
export function effectOf(item: EntityInput, values: string | null, before: CurrentEntity | undefined): EntityEffect {
  if (!before) return 'created'
  if (before.parentKey !== (item.ParentKey ?? null)) return 'moved'
  const isSame =
    before.displayName === item.DisplayName &&
    before.typeKey === item.StructureTypeKey &&
    (before.values === values || isDeepStrictEqual(parsed(before.values), parsed(values)))
  return isSame ? 'unchanged' : 'updated'
}

const parsed = (values: string | null): unknown => JSON.parse(values ?? 'null')

/** A batch of rows, read and judged by their own content. */
export interface EntityBatch extends RowBatch {
  from: RowPlace
  entities: ReadEntity[]
  rejects: Reject[]
}

/** Reads the rows of a batch, and judges each by its own content. Writes nothing. */
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
    // If the form of a value is at fault, that has been reported already.
    for (const fault of ofRow) if (!row?.faulty.has(entryOf(fault.pointer))) row?.faults.push(row.faultOf(fault))
  }
  const sound = new Map(
    judgeable.map(({ row, item }, n): [typeof row, ReadEntity] => {
      const customValues = values[n] ?? null
      const effect = effectOf(item, customValues, stored.get(item.Key))
      const entity: ReadEntity = {
        index: row.number,
        byte: row.byte,
        key: item.Key,
        depth: 0,
        outcome: effect === 'created' ? 'created' : 'updated',
        displayName: item.DisplayName,
        parentKey: item.ParentKey ?? null,
        typeKey: item.StructureTypeKey,
        customValues,
        isMoved: false,
        ...(closesEntity(item, { types, entities: stored }) ? { isClosed: true } : {}),
        effect,
      }
      return [row, entity]
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
      if (key !== undefined) entities.push({ index: row.number, key, depth: 0, outcome: 'created', isRefused: true })
    }
  }
  return { ...batch, from, entities, rejects }
}

/** Returns the key in a row, or undefined if it has none or a faulty one. */
function keyOf({ value, faulty }: ReadRow<EntityInput>): string | undefined {
  const key = memberOf(value, 'Key')
  return typeof key === 'string' && !faulty.has('/Key') ? key : undefined
}

/**
 * Stores the rows of a batch for the plan, as one step of their job. Does nothing if the batch is not the job's next.
 * @param version the version of the hierarchy, read before the types by which the rows were judged.
 * @param readNext begins to read the next batch. Called when the database has more to do than this process.
 * @throws Problem 400 if too many rows are refused; 413 if the file is too large; and as {@link advance}.
 */
export const saveReadRows = (
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
    const text = entities.reduce((sum, entity) => sum + lengthOf(entity), place.text)
    if (done > maxRows || text > maxText) throw tooLarge
    readNext()
    await writeChunks(trx, tenant, jobId, entities, job.done)
    await saveRejects(trx, tenant, jobId, rejects)
    const isLast = next.byte >= format.bytes
    return {
      ...{ done, end: undefined },
      // All outcomes from the first step on, so that they are listed in this order.
      counts: { created: 0, updated: 0, moved: 0, unchanged: 0, refused: rejects.length },
      position: JSON.stringify(isLast ? { pass: 'plan' } : { pass: 'read', text, ...next }),
      // If anybody changes the hierarchy from this version on, the rows are judged again before they are written.
      ...(job.position === null ? { planVersion: version } : {}),
    }
  })

const lengthOf = (entity: ReadEntity): number =>
  entity.key.length + ('isRefused' in entity ? 0 : entity.displayName.length + (entity.customValues?.length ?? 0))

const tooLarge = new Problem(
  'import-too-large',
  `The file has over ${maxRows.toLocaleString('en')} rows, or their keys, names and values have over ` +
    `${maxText.toLocaleString('en')} characters. Nothing was written. Split it by level, so that parents come in an earlier ` +
    'file, and import one file after the other.',
)
