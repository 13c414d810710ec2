// The shared part of imports of every kind: their input, their place, and their end where rows are refused.
import { Problem } from '../../../runtime/problem.js'
import type { RowPlace } from '../../../runtime/text-rows.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Counts, type JobRun, type OpenJob } from '../../jobs/advance.js'
import type { JobRow } from '../../jobs/jobs.js'
import type { Reject } from './rejects.js'
import type { RowFormat } from './rows.js'

/** Input of an import's job. */
export interface Import extends RowFormat {
  /** `all`: every row is checked before any is written, and one that is refused refuses all. */
  mode: 'all' | 'each'
  /** Nothing is written. */
  dryRun: boolean
  /** Of subjects. `unassign`: those that no row means are taken from their places in the end. */
  absent?: 'leave' | 'unassign'
  /** Size of the upload. */
  bytes: number
  /** Where the rows begin: behind the header of a CSV. */
  begin: RowPlace
}

/** A job with the run that does it, and its upload. */
export interface ImportIds extends JobRun {
  fileId: string
}

export const importOf = ({ input }: Pick<JobRow, 'input'>): Import => JSON.parse(input ?? '{}')

/** Rows that were refused until now. */
export const refusedOf = ({ counts }: Pick<OpenJob, 'counts'>): number => (JSON.parse(counts) as Counts).refused ?? 0

/** Refused rows after which an import is given up. They are what somebody is to correct. */
const mostRefused = 100_000

/** Position of an import whose rows are all checked, and refused. */
export const refusedPosition = JSON.stringify({ pass: 'refused' })

/** True where all rows are checked, and some of them refused all. */
export const isRefused = ({ position }: Pick<JobRow, 'position'>): boolean =>
  position !== null && JSON.parse(position).pass === 'refused'

/** @throws Problem 400 where the rows were refused, or too many of them. */
export function refuseRefused(job: OpenJob, jobId: string): void {
  const refused = refusedOf(job)
  const seen = `GET /api/v1/jobs/${jobId}/rejects has them, each with its reason.`
  if (isRefused(job)) {
    const detail = `${refused} of the rows are refused, and nothing was written. ${seen}`
    throw new Problem('rows-refused', detail)
  }
  if (refused <= mostRefused) return
  const detail = `Over ${mostRefused} rows are refused, and the rest was not read. ${seen}`
  throw new Problem('too-many-refused', detail)
}

/**
 * The progress of an import of which nothing can be read now.
 * @throws Problem 400 where its rows were refused; as {@link advance}.
 */
export const importProgress = (db: Db, tenant: TenantId, run: JobRun): Promise<JobProgress> =>
  advance(db, tenant, run, async (_, job) => {
    refuseRefused(job, run.jobId)
    return undefined
  })

/** The problem of an import of all or none, of which a row became wrong between check and write. */
export function refusedLate({ counts }: OpenJob, { row, faults }: Pick<Reject, 'row' | 'faults'>): Problem {
  const { created = 0, updated = 0 }: Counts = JSON.parse(counts)
  const detail =
    `Row ${row} was sound when all rows were checked, and is not any more: ${faults[0]?.detail} ` +
    `${created + updated} rows before it are written. A retry goes on with this one.`
  return new Problem('row-refused-late', detail)
}
