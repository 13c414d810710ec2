// Writes the rows of an import of subjects, step by step.
import { setImmediate as nextPass } from 'node:timers/promises'
import type { RowBatch, RowPlace, TextRow } from '../../../runtime/text-rows.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Counts, type OpenJob, type Step } from '../../jobs/advance.js'
import type { JobRow } from '../../jobs/jobs.js'
import { slices } from '../../rows.js'
import { movedSubjects } from '../hierarchy/locations.js'
import {
  inSequence,
  judgeSubjects,
  type PlannedSubject,
  type ReadSubject,
  readSubjects,
  type SubjectInput,
  upsertSettings,
} from '../subjects/subject-plan.js'
import type { SubjectSettings } from '../subjects/subject-settings.js'
import { writeSubjects } from '../subjects/subjects.js'
import type { Allows } from '../users/upsert-permission.js'
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
import { entryOf, type ReadRow, type RowFormat, readRows } from './rows.js'
import { subjectReader } from './subject-rows.js'
import { doublesInUpload } from './upload-keys.js'

/** How far an import is: kept as the job's position. */
export interface ImportPlace extends RowPlace {
  /** `check`: nothing is written yet. `absent`: all rows are read. */
  pass: 'check' | 'write' | 'absent'
  /** Of the pass `absent`: the subject that was looked at last. */
  after?: string
}

/** Rows of one transaction: some 0.15 s, for which other writers of these subjects wait. */
export const importRowsAtOnce = { rows: 1_000, bytes: 1024 * 1024 }

export function placeOf({ input, position }: Pick<JobRow, 'input' | 'position'>): ImportPlace {
  if (position !== null) return JSON.parse(position)
  const { mode, dryRun, begin } = importOf({ input })
  return { pass: mode === 'all' && !dryRun ? 'check' : 'write', ...begin }
}

/** Rows that were read, with the settings by which they were. */
export interface ImportBatch extends RowBatch {
  from: ImportPlace
  settings: SubjectSettings
  read: SubjectRow[]
}

interface SubjectRow {
  row: ReadRow<SubjectInput>
  /** Undefined where the row cannot be judged. */
  subject: ReadSubject | undefined
}

export async function readBatch(
  from: ImportPlace,
  batch: RowBatch,
  format: RowFormat,
  settings: SubjectSettings,
): Promise<ImportBatch> {
  const read: SubjectRow[] = []
  for (const some of slices(batch.rows, readAtOnce)) {
    read.push(...readSome(some, format, settings))
    // Answers of the database to the step before go first, and other work of the process.
    await nextPass()
  }
  return { ...batch, from, settings, read }
}

/** Rows that are read without a pause: some 4 ms. */
const readAtOnce = 100

function readSome(rows: readonly TextRow[], format: RowFormat, settings: SubjectSettings): SubjectRow[] {
  const read = readRows<SubjectInput>(rows, format, subjectReader(settings.fields))
  return read.map(row => ({ row, subject: row.input && readSubjects([row.input], settings)[0] }))
}

/**
 * Imports a batch as one step of its job. A batch that is not the job's next is left alone.
 * @param readNext begins to read the next batch: called where the database has more to do than this process, and every row
 *   of this one is judged.
 * @throws Problem 400 where too many rows are refused, or one of an import of all or none; 409 when the upsert is not configured;
 *   as {@link advance}.
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
      const position: ImportPlace = isAbsentNext ? { ...next, pass: 'absent', after: '' } : { ...next, pass: 'write' }
      return { done, end: isLast && !isAbsentNext ? 'all' : undefined, counts, position: JSON.stringify(position) }
    }
    const refused = refusedOf(job) + rejects.length
    const then: ImportPlace = isLast ? { ...format.begin, pass: 'write' } : { ...next, pass: 'check' }
    const position = isLast && refused > 0 ? refusedPosition : JSON.stringify(then)
    return { done, end: undefined, counts: () => (refused > 0 ? { refused } : {}), position }
  }
  if (from.pass === 'write' && !format.dryRun) {
    return advance(db, tenant, ids, async (trx, job) => {
      if (!isNext(job)) return undefined
      const judged = await judge(trx)
      readNext()
      const made = stepOf(judged, job)
      await writeSubjects(trx, tenant, judged.changed)
      await keepRejects(trx, tenant, jobId, judged.rejects)
      return made
    })
  }
  readNext()
  // Without a transaction, which would lock what it reads.
  const judged = await judge(db)
  return advance(db, tenant, ids, async (trx, job) => {
    if (!isNext(job)) return undefined
    await keepRejects(trx, tenant, jobId, judged.rejects)
    return stepOf(judged, job)
  })
}

interface JudgedReject extends Reject {
  /** Its matching values can be read, so that it says which subject is meant. */
  isIdentified: boolean
}

interface JudgedBatch {
  rejects: JudgedReject[]
  /** The subjects to write: not those that are as their rows say. */
  changed: PlannedSubject[]
  counts: Counts
}

/** Judges the rows of a batch; inside a transaction with the locks that a write needs. */
async function judgeBatch(
  db: Db,
  tenant: TenantId,
  fileId: string,
  batch: ImportBatch,
  format: RowFormat,
  allows: Allows,
): Promise<JudgedBatch> {
  const settings = await upsertSettings(db, tenant)
  const isSame = JSON.stringify(settings) === JSON.stringify(batch.settings)
  const read = isSame ? batch.read : readSome(batch.rows, format, settings)
  const judgeable = read.flatMap(({ row, subject }) => (subject ? [{ row, subject }] : []))
  const judged = await judgeSubjects(
    db,
    tenant,
    settings,
    judgeable.map(({ subject }) => subject),
    allows,
    doublesInUpload(
      db,
      tenant,
      fileId,
      judgeable.map(({ row }) => row.number),
    ),
  )
  const rejects: JudgedReject[] = read
    .filter(({ subject }) => !subject)
    .map(({ row: { number, faults, bytes } }) => ({ row: number, faults, content: bytes, isIdentified: false }))
  const sound: PlannedSubject[] = []
  for (const [n, each] of judged.entries()) {
    const row = judgeable[n]?.row
    if (!row) continue
    const found = [...each.missing, ...each.faults, ...each.ambiguous]
      .filter(({ pointer }) => !row.faulty.has(entryOf(pointer)))
      .map(({ pointer, code, detail }) => ({ column: row.columnOf(pointer), code, detail }))
    const faults = [...row.faults, ...found]
    if (faults.length === 0) sound.push(each.planned)
    else rejects.push({ row: row.number, faults, content: row.bytes, isIdentified: each.isIdentified })
  }
  const planned = inSequence(sound)
  const updated = planned.filter(({ outcome }) => outcome === 'updated')
  const moved = await movedSubjects(
    db,
    tenant,
    updated.flatMap(({ id, entityKeys }) => (entityKeys ? [{ id, entityKeys }] : [])),
  )
  const changed = planned.filter(
    ({ id, outcome, before, after, isDeactivated }) =>
      outcome === 'created' || isDeactivated || moved.has(id) || JSON.stringify(before) !== JSON.stringify(after),
  )
  const unidentified = rejects.filter(({ isIdentified }) => !isIdentified).length
  const counts = {
    created: planned.length - updated.length,
    updated: updated.length,
    moved: moved.size,
    unchanged: planned.length - changed.length,
    refused: rejects.length,
    ...(unidentified > 0 ? { unidentified } : {}),
  }
  return { rejects, changed, counts }
}
