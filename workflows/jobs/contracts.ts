/** Which job a workflow carries: ids only; input, progress and outcome stand in MySQL. */
export interface JobRef {
  tenantKey: string
  jobId: string
}

/** What a workflow is started with. The queue stands here because a replay in a test knows no queue but its own. */
export interface JobInput extends JobRef {
  queue: Queue
  /** A small bulk, which the run writes. Absent in runs from before, whose bulk was written when they began. */
  isSmallBulk?: true
}

export interface JobProgress {
  done: number
  total: number
  /** Task queue of the next steps, where it is not the job's: that of a provider with limits. */
  taskQueue?: string
}

/**
 * `interactive`: a caller waits, and the workflow starts eagerly in the API's own process. `background`: everything long, in
 * worker processes of its own.
 */
export const queues = { interactive: 'interactive', background: 'background' } as const
export type Queue = keyof typeof queues

/** Kinds of job that write a planned batch. */
export const bulkKinds = [
  'structuralEntityBulkUpsert',
  'structureTypeBulkUpsert',
  'groupBulkUpsert',
  'subjectBulkUpsert',
] as const
export type BulkKind = (typeof bulkKinds)[number]

/** Kinds of job. A kind is also the name of its workflow type, so that operators read the same word everywhere. */
export const jobKinds = [
  ...bulkKinds,
  'subjectTransfer',
  'subjectTransferUndo',
  'portalInvitation',
  'dataSetRefresh',
  'dataChange',
  'singlePassDelivery',
  'multiExtract',
  'formExport',
] as const
export type JobKind = (typeof jobKinds)[number]

/** Readable in the Temporal UI's list, and one run at a time for a job. */
export const workflowIdOf = (kind: JobKind, { tenantKey, jobId }: JobRef): string => `${tenantKey}/${kind}/${jobId}`

/** Items of one transaction. A bulk that has no more is small: its run is in the interactive queue, and its caller waits. */
export const chunkItems = 1_000

/** Chunks one background activity writes before it reports to its workflow: 20,000 items are about a second. */
export const chunksPerActivity = 20

/** Assignments of one transaction of a transfer: some 50 ms. */
export const transferPage = 10_000

/** Pages one activity transfers before it reports to its workflow. */
export const pagesPerActivity = 20

/** Pages that one activity of a refresh fetches before it reports to its workflow. */
export const fetchesPerActivity = 20

/** Mails one activity sends before it reports to its workflow: some seconds. */
export const mailsPerActivity = 20
