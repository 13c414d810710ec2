// The second and third phase of an import of structural entities: plans the rows that were read, then writes them.
import type { Knex } from 'knex'
import { createKeyedQueue } from '../../../runtime/load/keyed-queue.js'
import type { RowBatch, RowPlace } from '../../../runtime/rows/row-splitter.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { busy } from '../../errors.js'
import { advance, type Counts, type OpenJob, type Step } from '../../jobs/advance.js'
import { type Chunk, chunkItems, dropChunks, itemsBefore, writeChunks } from '../../jobs/chunks.js'
import { groupedBy } from '../../rows.js'
import { inputOf } from '../hierarchy/entity-chunks.js'
import { lockHierarchy, setHierarchyVersion } from '../hierarchy/hierarchy.js'
import { writeEntities } from '../hierarchy/structural-entities.js'
import {
  type EntityInput,
  type EntityRules,
  judgeEntities,
  type PlannedEntity,
} from '../hierarchy/structural-entity-plan.js'
import { structureTypeStore } from '../hierarchy/structure-types.js'
import { type ImportedEntity, orderEntities } from './entity-order.js'
import { type EntityImportPlace, effectOf, entityPlaceOf, storedEntities, withStoredValues } from './entity-read.js'
import {
  type Import,
  type ImportIds,
  refusedLate,
  refusedOf,
  refusedPosition,
  refuseMany,
  refuseRefused,
} from './imports.js'
import { dropRejects, type Reject, saveRejects } from './rejects.js'
import { type RowFormat, rowFault } from './rows.js'

/** Reads some rows of an upload again. @param from where the first of them begins. */
export type ReadAgain = (from: RowPlace) => Promise<RowBatch>

/** A row that is refused after it was read, and its offset in the upload, in bytes. */
type LateRefusal = Pick<Reject, 'row' | 'faults'> & Pick<ImportedEntity, 'byte'>

/**
 * Lets this process plan one import at a time, whichever tenants they belong to, because a plan may need most of the memory that a
 * worker has to spare. Another one waits only briefly, so that it does not occupy its worker slot; Temporal tries it again.
 */
const planning = createKeyedQueue<'plan'>({
  ...{ atOnce: 1, ofAll: 1, waitTimeoutMs: 500, maxWaiting: Number.POSITIVE_INFINITY },
  ...{ late: busy, tooMany: busy },
})

/**
 * Plans the rows that were read, as one step of their job: sorts them parents first, refuses those without a place in the hierarchy,
 * and stores the rest as chunks to be written.
 * @throws Problem 503 while this process plans another import; 400 if rows are refused (see {@link refuseRefused} and
 *   {@link refuseMany}); and as {@link advance}.
 */
export const planImport = (
  db: Db,
  tenant: TenantId,
  run: ImportIds,
  rowsRead: number,
  format: Import,
  rules: EntityRules,
  readAgain: ReadAgain,
): Promise<JobProgress> =>
  planning.run('plan', async () => {
    const { jobId } = run
    const { planned, faults } = await orderEntities(db, tenant, itemsBefore(db, tenant, jobId, rowsRead), rules)
    const isNext = (job: OpenJob): boolean => {
      refuseRefused(job, jobId)
      if (entityPlaceOf(job).pass !== 'plan') return false
      refuseMany(job, faults)
      return true
    }
    const refusals = Array.from(faults, ([row, fault]): LateRefusal => {
      const told = rowFault(format.format, columnOf(format, fault.pointer), fault)
      return { row, byte: fault.byte, faults: [told] }
    })
    await rejectRows(db, tenant, run, refusals, readAgain, isNext)
    return advance(db, tenant, run, async (trx, job): Promise<Step | undefined> => {
      if (!isNext(job)) return undefined
      await dropRejects(trx, tenant, jobId, planned.map(rowOf))
      await dropChunks(trx, tenant, jobId, job.done)
      const refused = faults.size > 0 ? { refused: faults.size } : {}
      const step = { done: job.done, end: undefined, counts: refused }
      if (format.mode === 'all' && !format.dryRun && refusedOf(job) + faults.size > 0)
        return { ...step, position: refusedPosition }
      const written = format.dryRun ? [] : planned
      let first = job.done
      for (const some of chunksOf(written)) {
        await writeChunks(trx, tenant, jobId, some, first)
        first += some.length
      }
      const place: EntityImportPlace = { pass: 'write', end: first }
      return {
        ...step,
        counts: format.dryRun ? { ...countsOf(planned), ...refused } : refused,
        expected: Math.max(1, written.length),
        position: JSON.stringify(place),
      }
    })
  })

const rowOf = ({ index }: PlannedEntity): number => index

/** The longest text of the values in a chunk, in characters. It bounds how long the chunk's transaction locks the hierarchy. */
const maxText = 4 * 1024 * 1024

/** Cuts planned entities into chunks, each of which is written in one transaction. */
function* chunksOf(planned: readonly PlannedEntity[]): Generator<PlannedEntity[]> {
  let first = 0
  let text = 0
  for (const [n, entity] of planned.entries()) {
    if (n - first === chunkItems || text > maxText) {
      yield planned.slice(first, n)
      first = n
      text = 0
    }
    text += entity.customValues?.length ?? 0
  }
  if (first < planned.length) yield planned.slice(first)
}

/**
 * Writes a chunk of an import, as one step of its job. Does nothing if the chunk is not the job's next. If the hierarchy has changed
 * since the rows were read, or subjects may have been assigned to an entity that is to accept none, judges the rows again and refuses
 * those that have become wrong.
 * @param onWriting called just before the chunk is written. From then on the database has more to do than this process, which may use
 *   the time to fetch the next chunk.
 * @throws Problem 409 if a row of an all-or-none import has become wrong; 400 if too many rows are refused; and as {@link advance}.
 */
export async function writeImportChunk(
  db: Db,
  tenant: TenantId,
  run: ImportIds,
  chunk: Chunk<ImportedEntity>,
  format: Import,
  rules: EntityRules,
  readAgain: ReadAgain,
  onWriting: () => void,
): Promise<JobProgress> {
  const { jobId } = run
  /** Returns the end of the chunks, or undefined if this chunk is not the job's next. */
  const endOf = (job: OpenJob): number | undefined => {
    refuseRefused(job, jobId)
    const place = entityPlaceOf(job)
    return place.pass === 'write' && job.done === chunk.first ? place.end : undefined
  }
  const refused = new Set<number>()
  for (;;) {
    let found: readonly LateRefusal[] = []
    const progress = await advance(db, tenant, run, async (trx, job): Promise<Step | undefined> => {
      found = []
      const end = endOf(job)
      if (end === undefined) return undefined
      const { version, orders } = await lockHierarchy(trx, tenant)
      const isAsPlanned = version === Number(job.plan_version)
      const isExact = isAsPlanned && !chunk.items.some(({ isClosed }) => isClosed)
      let exact: readonly PlannedEntity[] = chunk.items
      if (!isExact) {
        const rest = chunk.items.filter(({ index }) => !refused.has(index))
        const judged = await judgeAgain(trx, tenant, rest, format, rules)
        const [late] = judged.late.sort((a, b) => a.row - b.row)
        if (late && format.mode === 'all') throw refusedLate(job, late)
        found = judged.late
        // Their bytes are read while the hierarchy is not locked. Then the rest of the chunk is tried again.
        if (found.length > 0) return undefined
        exact = judged.exact
        await dropRejects(trx, tenant, jobId, exact.map(rowOf))
      }
      onWriting()
      // Rows that would not change their entity are not written.
      const changed = exact.filter(({ effect }) => effect !== 'unchanged')
      if (changed.length > 0) await writeEntities(trx, tenant, changed, orders)
      // The rows of later chunks are judged again after a refusal, because they were planned for what the refused row would have written.
      const isVersionNew = changed.length > 0 || refused.size > 0
      if (isVersionNew) await setHierarchyVersion(trx, tenant, version + 1)
      const done = chunk.first + chunk.items.length
      await dropChunks(trx, tenant, jobId, done)
      return {
        done,
        end: done === end ? 'all' : undefined,
        counts: { ...countsOf(exact), refused: refused.size },
        ...(isAsPlanned && isVersionNew && refused.size === 0 ? { planVersion: version + 1 } : {}),
      }
    })
    if (found.length === 0) return progress
    await rejectRows(db, tenant, run, found, readAgain, job => endOf(job) !== undefined)
    for (const { row } of found) refused.add(row)
  }
}

/** Judges planned rows again, by the current hierarchy, because others have changed it. */
async function judgeAgain(
  trx: Knex.Transaction,
  tenant: TenantId,
  planned: readonly ImportedEntity[],
  format: RowFormat,
  rules: EntityRules,
): Promise<{ exact: PlannedEntity[]; late: LateRefusal[] }> {
  const stored = await storedEntities(
    trx,
    tenant,
    planned.map(({ key }) => key),
  )
  const types = await structureTypeStore(trx, tenant).byKeys(planned.map(({ typeKey }) => typeKey))
  const late: LateRefusal[] = []
  let rest = planned.map(entity => ({
    row: entity.index,
    byte: entity.byte,
    item: withStoredValues(inputOf(entity), stored.get(entity.key), types, format),
  }))
  for (;;) {
    const items = rest.map(({ item }) => item)
    const place = (n: number) => rest[n]?.row ?? 0
    const judged = await judgeEntities(trx, tenant, items, rules, { place, own: stored })
    if (judged.faults.length === 0) {
      const byRow = new Map(rest.map(({ row, item }) => [row, item]))
      for (const entity of judged.planned) {
        const item = byRow.get(entity.index)
        if (item) entity.effect = effectOf(item, entity.customValues, stored.get(item.Key))
      }
      return { exact: judged.planned, late }
    }
    const ofRow = groupedBy(judged.faults, ({ n }) => n)
    for (const [n, { row, byte, item }] of rest.entries()) {
      const found = ofRow.get(n) ?? []
      const faults = found.map(fault => rowFault(format.format, columnOf(format, fault.pointer, item), fault))
      if (faults.length > 0) late.push({ row, byte, faults })
    }
    // Judges the remaining rows once more: one that was right together with a refused row may be wrong without it.
    rest = rest.filter((_, n) => !ofRow.has(n))
  }
}

/** Returns the column of a CSV that a pointer into an item refers to. For NDJSON, returns the pointer itself. */
function columnOf({ format, columns = [] }: RowFormat, pointer: string, item?: EntityInput): string {
  if (format === 'ndjson') return pointer
  const [, member = '', n] = pointer.split('/')
  const field = member === 'CustomFieldValues' ? item?.CustomFieldValues?.[Number(n)]?.Key : member
  return columns.find(each => field !== undefined && each.field === field)?.column ?? ''
}

/**
 * Stores refused rows in their original form, before the step that refuses them. It reads only where they are in the upload. That may
 * still take longer than a transaction lasts, so each batch is a step of its own that leaves the job where it is. If the process dies
 * before the refusing step, and the rows are accepted after all, {@link dropRejects} removes them.
 * @param isNext tells whether the refusing step is still the job's next one; if it is not, nothing is stored.
 */
async function rejectRows(
  db: Db,
  tenant: TenantId,
  run: ImportIds,
  refusals: readonly LateRefusal[],
  readAgain: ReadAgain,
  isNext: (job: OpenJob) => boolean,
): Promise<void> {
  const byRow = new Map(refusals.map(refusal => [refusal.row, refusal]))
  let readTo = 0
  for (const { row, byte } of refusals.toSorted((a, b) => a.row - b.row)) {
    if (byte < readTo) continue
    const { rows, next } = await readAgain({ byte, row: row - 1 })
    const rejects = rows.flatMap(({ number, bytes }) => {
      const refusal = byRow.get(number)
      return refusal ? [{ row: number, faults: refusal.faults, content: bytes }] : []
    })
    readTo = next.byte
    await advance(db, tenant, run, async (trx, job): Promise<Step | undefined> => {
      if (!isNext(job)) return undefined
      await saveRejects(trx, tenant, run.jobId, rejects)
      return { done: job.done, end: undefined, counts: {} }
    })
  }
}

/** Counts entities by effect. Includes effects that do not occur, with 0. Moved and unchanged entities also count as updated. */
function countsOf(planned: readonly PlannedEntity[]): Counts {
  const counts = { created: 0, updated: 0, moved: 0, unchanged: 0, refused: 0 }
  for (const { effect = 'updated' } of planned) {
    counts[effect]++
    if (effect === 'moved' || effect === 'unchanged') counts.updated++
  }
  return counts
}
