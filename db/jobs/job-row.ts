// The row of a job: its columns, its statuses, and what they allow.
import type { Problem, ProblemJson } from '../../runtime/problems/problem.js'
import type { JobKind, Queue } from '../../workflows/jobs/contracts.js'
import type { Db } from '../connect.js'

export const jobStatuses = ['Accepted', 'Running', 'Completed', 'Failed', 'Cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]

export interface JobRow {
  id: string
  kind: JobKind
  status: JobStatus
  queue: Queue
  actor: string
  workflow_id: string
  trace_id: string
  /**
   * W3C `traceparent` of the request, or null if it was not traced. The run joins that trace, however late it starts.
   */
  trace_parent: string | null
  total: number
  done: number
  plan_version: number
  counts: string
  problem: string | null
  /** A {@link Waiting} as JSON, since an attempt has failed and until the next step is written. */
  waiting: string | null
  input: string | null
  position: string | null
  undone_by: string | null
  cancelled_by: string | null
  retried_by: string | null
  request_hash: string | null
  accepted_at: Date
  started_at: Date | null
  finished_at: Date | null
  /** 1, plus the number of retries. */
  attempt: number
  /** The Temporal run that does the job. Null as long as none is known. */
  run_id: string | null
  /** Set when the job is cancelled, until Temporal has been told to cancel its run. */
  cancel_run_since: Date | null
  /** How long ago the job was started, in ms. Null if it has not been started yet. */
  started_ms: number | null
}

/** Why a job waits, since when, and when it is tried again. Times are ISO 8601. */
export interface Waiting {
  reason: string
  since: string
  nextTry: string
}

/** A problem as it is stored with the job that it failed. */
export type StoredProblem = Omit<ProblemJson, 'headers'>

export function storedProblem(problem: Problem): StoredProblem {
  const { headers: _, ...stored } = problem.toJSON()
  return stored
}

/** The statuses of a job that has not ended. */
export const openStatuses: readonly JobStatus[] = ['Accepted', 'Running']
/** Tells whether a job has not ended. Failed and cancelled jobs have ended, although they can be retried. */
export const isOpen = ({ status }: Pick<JobRow, 'status'>): boolean => openStatuses.includes(status)
/** The statuses of a job that can be cancelled: it is open, or it has failed and nobody wants to retry it. */
export const cancellableStatuses: readonly JobStatus[] = [...openStatuses, 'Failed']

/** The statuses of a job that has ended without being done, and can be retried. */
export const stoppedStatuses: readonly JobStatus[] = ['Failed', 'Cancelled']
/** Tells whether a job has ended without being done. */
export const isStopped = ({ status }: Pick<JobRow, 'status'>): boolean => stoppedStatuses.includes(status)

/** The columns of a {@link JobRow} that may have long texts. */
export const documents = ['counts', 'problem', 'waiting', 'input']
/** The other columns of a {@link JobRow}. */
export const listedColumns = [
  'id',
  'kind',
  'status',
  'queue',
  'actor',
  'workflow_id',
  'trace_id',
  'trace_parent',
  'total',
  'done',
  'plan_version',
  'position',
  'undone_by',
  'cancelled_by',
  'retried_by',
  'request_hash',
  'accepted_at',
  'started_at',
  'finished_at',
  'attempt',
  'run_id',
  'cancel_run_since',
]
/** By the database's clock, which has written `started_at`. */
export const startedMs = (db: Db) =>
  db.raw('TIMESTAMPDIFF(MICROSECOND, started_at, CURRENT_TIMESTAMP(3)) DIV 1000 AS started_ms')

/** The columns of a {@link JobRow}. */
export const columnsOf = (db: Db) => [...listedColumns, ...documents, startedMs(db)]
