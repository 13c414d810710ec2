// What imports of every kind share: their input, and how they end when rows are refused.
import { Problem } from '../../../runtime/problems/problem.js'
import type { RowPlace } from '../../../runtime/rows/row-splitter.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Counts, type JobRun, type OpenJob } from '../../jobs/advance.js'
import type { JobRow } from '../../jobs/job-row.js'
import type { Reject } from './rejects.js'
import type { RowFormat } from './rows.js'

/** The input of an import's job. */
export interface Import extends RowFormat {
  /** `all`: checks every row before writing any, and writes none if one is refused. `each`: writes the rows that are not refused. */
  mode: 'all' | 'each'
  /** Checks the rows and counts what would be done, but writes nothing. */
  dryRun: boolean
  /** Only for imports of subjects. `unassign`: finally removes all subjects that no row means from their places. */
  absent?: 'leave' | 'unassign'
  /** The most subjects to remove: a number such as `50`, or a percentage such as `10%`. If there are more, the import fails first. */
  absentAtMost?: string
  /** The entity at or below which subjects are removed from their places; everywhere if absent. */
  below?: string
  /** Size of the upload, in bytes. */
  bytes: number
  /** Where the rows begin. In a CSV that is after the header. */
  begin: RowPlace
}

/** The ids of an import: its job, the run that does it, and its upload. */
export interface ImportIds extends JobRun {
  fileId: string
}

export const importOf = ({ input }: Pick<JobRow, 'input'>): Import => JSON.parse(input ?? '{}')

/** Returns how many rows have been refused so far. */
export const refusedOf = ({ counts }: Pick<OpenJob, 'counts'>): number => (JSON.parse(counts) as Counts).refused ?? 0

/** An import stops when more rows than this are refused: nobody can correct so many by hand, and the file is probably wrong as a whole. */
const maxRefused = 100_000

/** The position of an all-or-none import that has checked all rows and writes none of them. */
export const refusedPosition = JSON.stringify({ pass: 'refused' })

/** Returns true for an all-or-none import that has checked all rows and refused some of them. */
export const isRefused = ({ position }: Pick<JobRow, 'position'>): boolean =>
  position !== null && JSON.parse(position).pass === 'refused'

/** Fails an import that ends because of refused rows. @throws Problem 400 if it is all-or-none and has any, or if it has too many. */
export function refuseRefused(job: OpenJob, jobId: string): void {
  const refused = refusedOf(job)
  const seen = `GET /api/v1/jobs/${jobId}/rejects lists them, each with its reason.`
  if (isRefused(job)) {
    const detail = `${refused} of the rows are refused, and nothing was written. ${seen}`
    throw new Problem('rows-refused', detail)
  }
  if (refused <= maxRefused) return
  const detail = `Over ${maxRefused} rows are refused, and the rest was not imported. ${seen}`
  throw new Problem('too-many-refused', detail)
}

/**
 * Fails an import if its plan refuses too many rows. They are not stored, so the problem quotes one.
 * @param found the faults of the refused rows by row number.
 * @throws Problem 400
 */
export function refuseMany(job: OpenJob, found: ReadonlyMap<number, { detail: string }>): void {
  const [first] = found
  if (!first || refusedOf(job) + found.size <= maxRefused) return
  const [row, { detail }] = first
  throw new Problem(
    'too-many-refused',
    `Over ${maxRefused} rows are refused, and nothing was written. One of them is row ${row}: ${detail}`,
  )
}

/**
 * Reports the progress of an import that has no rows to read: it has ended, or its rows are refused.
 * @throws Problem 400 if its rows are refused; and as {@link advance}.
 */
export const importProgress = (db: Db, tenant: TenantId, run: JobRun): Promise<JobProgress> =>
  advance(db, tenant, run, async (_, job) => {
    refuseRefused(job, run.jobId)
    return undefined
  })

/** Creates the problem of an all-or-none import in which a row became wrong between the check and the write. */
export function refusedLate({ counts }: OpenJob, { row, faults }: Pick<Reject, 'row' | 'faults'>): Problem {
  const { created = 0, updated = 0 }: Counts = JSON.parse(counts)
  const detail =
    `Row ${row} was valid when all rows were checked, but is not any more: ${faults[0]?.detail} ` +
    `${created + updated} rows were done before. A retry continues with the rows that are left.`
  return new Problem('row-refused-late', detail)
}
