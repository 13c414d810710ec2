// The first pass of an import of structural entities: its rows are read, judged by themselves, and staged.
import { memberOf } from '../../../runtime/schema/member-of.js'
import type { RowBatch } from '../../../runtime/text-rows.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { groupedBy } from '../../rows.js'
import { type EntityFault, type EntityInput, judgeItems } from '../hierarchy/structural-entity-plan.js'
import { type Allows, missingPermissions } from '../users/upsert-permission.js'
import { type Existing, existingEntities, stateOf, type Types, withKept } from './entity-comparison.js'
import { countedIn, type EntityImportPlace, stepFrom } from './entity-import.js'
import { beginOrder } from './entity-places.js'
import { entityReader } from './entity-rows.js'
import { countsOf, missing, type Staged, type StagedState, stagedRows, unplaced } from './entity-staging.js'
import type { Import, ImportIds } from './imports.js'
import { keepRejects, type Reject } from './rejects.js'
import { entryOf, type ReadRow, type RowFault, type RowFormat, readRows } from './rows.js'

/** Rows that are staged in one transaction. Nobody waits for it. */
export const stagedAtOnce = { rows: 4_000, bytes: 1024 * 1024 }

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

/**
 * Stages a batch as one step of its job. A batch that is not the job's next is left alone.
 * @param readOn begins to read the next batch: called where the database has more to do than this process.
 * @throws as {@link stepFrom}.
 */
export const stageBatch = (
  db: Db,
  tenant: TenantId,
  ids: ImportIds,
  { from, judged, rows, next }: StageBatch,
  format: Import,
  allows: Allows,
  readOn: () => void,
): Promise<JobProgress> =>
  stepFrom(db, tenant, ids, from, async (trx, job) => {
    const { jobId, fileId } = ids
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
      end: undefined,
      counts: countedIn(format, counts),
      position: JSON.stringify(then),
    }
  })

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
