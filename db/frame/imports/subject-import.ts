// Reads, checks and writes the rows of an import of subjects, step by step.
import { setImmediate as nextPass } from 'node:timers/promises'
import type { RowBatch, RowPlace, TextRow } from '../../../runtime/rows/row-splitter.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Counts, type OpenJob, type Step } from '../../jobs/advance.js'
import type { JobRow } from '../../jobs/job-row.js'
import { slices } from '../../rows.js'
import type { FieldOrder } from '../fields/custom-field.js'
import type { SubjectSettings } from '../fields/subject-settings.js'
import type { Allows } from '../fields/upsert-permission.js'
import { placesBeforeMove } from '../subjects/locations.js'
import {
  inSequence,
  judgeSubjects,
  type PlannedSubject,
  type ReadSubject,
  readSubjects,
  type SubjectInput,
  upsertSettings,
} from '../subjects/subject-plan.js'
import { writeSubjects } from '../subjects/subjects.js'
import { duplicatesInUpload } from './duplicate-rows.js'
import { type Move, saveMoves } from './import-moves.js'
import {
  type Import,
  type ImportIds,
  importOf,
  refusedLate,
  refusedOf,
  refusedPosition,
  refuseRefused,
} from './imports.js'
import { type Reject, saveRejects } from './rejects.js'
import { entryOf, type ReadRow, type RowFormat, readRows } from './rows.js'
import { subjectReader } from './subject-rows.js'

/** How far an import of subjects has come; stored as the job's position. */
export interface ImportPlace extends RowPlace {
  /**
   * `check`: checks the rows of an all-or-none import. `write`: writes rows. After all rows are read, `count`: counts the subjects that no
   * row names, and `absent`: unassigns them.
   */
  pass: 'check' | 'write' | 'count' | 'absent'
  /** In the passes `count` and `absent`, the subject that was looked at last; empty at the beginning of each. */
  after?: string
  /** How many subjects without a row were counted so far. */
  absent?: number
}

/** How much one transaction writes. It takes about 0.15 s, for which other writers of these subjects wait. */
export const importRowsAtOnce = { rows: 1_000, bytes: 1024 * 1024 }

/** Returns how far an import has come, from its job. */
export function placeOf({ input, position }: Pick<JobRow, 'input' | 'position'>): ImportPlace {
  if (position !== null) return JSON.parse(position)
  const { mode, dryRun, begin } = importOf({ input })
  return { pass: mode === 'all' && !dryRun ? 'check' : 'write', ...begin }
}

/** A batch of rows that were read, and the settings by which they were read. */
export interface ImportBatch extends RowBatch {
  from: ImportPlace
  settings: SubjectSettings
  read: SubjectRow[]
}

interface SubjectRow {
  row: ReadRow<SubjectInput>
  /** Undefined if the form of the row is so faulty that it cannot be judged further. */
  subject: ReadSubject | undefined
}

/** Reads the rows of a batch without looking at the stored subjects. */
export async function readBatch(
  from: ImportPlace,
  batch: RowBatch,
  format: RowFormat,
  settings: SubjectSettings,
): Promise<ImportBatch> {
  const read: SubjectRow[] = []
  for (const some of slices(batch.rows, readAtOnce)) {
    read.push(...readSome(some, format, settings))
    // Lets other work of the process go first, above all the database's answers to the step before.
    await nextPass()
  }
  return { ...batch, from, settings, read }
}

/** How many rows are read before other work of the process gets a turn; they take some 4 ms. */
const readAtOnce = 100

function readSome(rows: readonly TextRow[], format: RowFormat, settings: SubjectSettings): SubjectRow[] {
  const read = readRows<SubjectInput>(rows, format, subjectReader(settings.fields))
  return read.map(row => ({ row, subject: row.input && readSubjects([row.input], settings)[0] }))
}

/**
 * Imports a batch, as one step of its job. Does nothing if the batch is not the job's next.
 * @param readNext begins to read the next batch. Called when the rows of this one are judged, so that the database has more to do than
 *   this process.
 * @throws Problem 400 if too many rows are refused, or any row of an all-or-none import; 409 if the upsert is not configured; and as
 *   {@link advance}.
 */
export async function importBatch(
  db: Db,
  tenant: TenantId,
  ids: ImportIds,
  batch: ImportBatch,
  format: Import,
  allows: Allows,
  readNext: () => void,
): Promise<JobProgress> {
  const { from, next } = batch
  const { jobId } = ids
  const judge = (in_: Db) => judgeBatch(in_, tenant, ids.fileId, batch, format, allows)
  const isNext = (job: OpenJob): boolean => {
    refuseRefused(job, jobId)
    const place = placeOf(job)
    return place.pass === from.pass && place.byte === from.byte
  }
  const stepOf = ({ rejects, counts }: JudgedBatch, job: OpenJob): Step => {
    const [reject] = rejects
    const isLast = next.byte >= format.bytes
    const done = job.done + batch.rows.length
    if (from.pass === 'write') {
      if (reject && format.mode === 'all' && !format.dryRun) throw refusedLate(job, reject)
      const isAbsentNext = isLast && format.absent === 'unassign'
      const position: ImportPlace = isAbsentNext ? { ...next, pass: 'count', after: '' } : { ...next, pass: 'write' }
      return { done, end: isLast && !isAbsentNext ? 'all' : undefined, counts, position: JSON.stringify(position) }
    }
    const refused = refusedOf(job) + rejects.length
    const then: ImportPlace = isLast ? { ...format.begin, pass: 'write' } : { ...next, pass: 'check' }
    const position = isLast && refused > 0 ? refusedPosition : JSON.stringify(then)
    // This pass counts refused rows alone. The others are counted when they are written.
    const { created, updated, moved, unchanged, ...ofRefused } = counts
    return { done, end: undefined, counts: reject ? ofRefused : {}, position }
  }
  if (from.pass === 'write' && !format.dryRun) {
    return advance(db, tenant, ids, async (trx, job) => {
      if (!isNext(job)) return undefined
      const judged = await judge(trx)
      readNext()
      const made = stepOf(judged, job)
      await writeSubjects(trx, tenant, judged.changed, judged.orders)
      await saveMoves(trx, tenant, jobId, judged.moves)
      await saveRejects(trx, tenant, jobId, judged.rejects)
      return made
    })
  }
  readNext()
  // Judges outside a transaction, because inside one the rows that it reads would be locked.
  const judged = await judge(db)
  return advance(db, tenant, ids, async (trx, job) => {
    if (!isNext(job)) return undefined
    await saveRejects(trx, tenant, jobId, judged.rejects)
    return stepOf(judged, job)
  })
}

interface JudgedBatch {
  rejects: Reject[]
  orders: readonly FieldOrder[]
  /** The subjects to write. Leaves out those that already are as their rows say. */
  changed: PlannedSubject[]
  /** The moves of subjects that existed before. */
  moves: Move[]
  counts: Counts
}

/** Judges the rows of a batch. Inside a transaction, takes the locks that writing needs. */
async function judgeBatch(
  db: Db,
  tenant: TenantId,
  fileId: string,
  batch: ImportBatch,
  format: RowFormat,
  allows: Allows,
): Promise<JudgedBatch> {
  const { settings, orders } = await upsertSettings(db, tenant)
  const isSame = JSON.stringify(settings) === JSON.stringify(batch.settings)
  const read = isSame ? batch.read : readSome(batch.rows, format, settings)
  const judgeable = read.flatMap(({ row, subject }) => (subject ? [{ row, subject }] : []))
  const judged = await judgeSubjects(
    db,
    tenant,
    settings,
    judgeable.map(({ subject }) => subject),
    allows,
    duplicatesInUpload(
      db,
      tenant,
      fileId,
      judgeable.map(({ row }) => row.number),
    ),
  )
  const rejects: Reject[] = read
    .filter(({ subject }) => !subject)
    .map(({ row: { number, faults, bytes } }) => ({ row: number, faults, content: bytes, isUnidentified: true }))
  const sound: PlannedSubject[] = []
  for (const [n, each] of judged.entries()) {
    const row = judgeable[n]?.row
    if (!row) continue
    const found = [...each.missing, ...each.faults, ...each.ambiguous]
      .filter(({ pointer }) => !row.faulty.has(entryOf(pointer)))
      .map(fault => row.faultOf(fault))
    const faults = [...row.faults, ...found]
    if (faults.length === 0) sound.push(each.planned)
    else {
      const { matching } = each
      rejects.push({ row: row.number, faults, content: row.bytes, matching, isUnidentified: matching === undefined })
    }
  }
  const planned = inSequence(sound)
  const updated = planned.filter(({ outcome }) => outcome === 'updated')
  const moved = await placesBeforeMove(
    db,
    tenant,
    updated.flatMap(({ id, entityKeys }) => (entityKeys ? [{ id, entityKeys }] : [])),
  )
  const changed = planned.filter(
    ({ id, outcome, before, after, isDeactivated }) =>
      outcome === 'created' || isDeactivated || moved.has(id) || JSON.stringify(before) !== JSON.stringify(after),
  )
  const unidentified = rejects.filter(({ isUnidentified }) => isUnidentified).length
  const counts = {
    created: planned.length - updated.length,
    updated: updated.length,
    moved: moved.size,
    unchanged: planned.length - changed.length,
    refused: rejects.length,
    ...(unidentified > 0 ? { unidentified } : {}),
  }
  const moves = changed.flatMap(({ id, entityKeys = [] }): Move[] => {
    const before = moved.get(id)
    return before ? [{ id, before, after: [...new Set(entityKeys)] }] : []
  })
  return { rejects, orders, changed, moves, counts }
}
