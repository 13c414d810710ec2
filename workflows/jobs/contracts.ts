// Declares all kinds of job, and what the API, workflows and activities tell each other about a job.
import { changedSignal } from '../glue/contracts.js'

/** Identifies a job. Workflows get no more than this: input, progress and outcome are in MySQL. */
export interface JobRef {
  tenantKey: string
  jobId: string
}

/**
 * Input of a job's workflow. It includes the queue, which decides how activities are called. The workflow cannot ask
 * Temporal for it, because a test that replays a history runs in a queue of its own, and would take another path than
 * the recorded run.
 */
export interface JobInput extends JobRef {
  queue: Queue
}

/** Input of the activity that does a job's steps. */
export interface StepsInput extends JobRef {
  /** How many steps to do at most. By default as many as fit into {@link sliceMs}. */
  limit?: number | undefined
}

/** How much of a job is done, in the units of its kind. */
export interface Done {
  done: number
  total: number
}

/** How a job was completed: `all` of its total is done, or it ended `early`, with less done than its total. */
export type JobEnd = 'all' | 'early'

/** A job that was completed. */
export interface EndedJob extends Done {
  state: 'ended'
  end: JobEnd
  /** How many units had each outcome. */
  counts: Record<string, number>
}

/** What an activity returns about its job. */
export type JobProgress =
  /** There is more to do, in the queue of the job's kind. */
  | (Done & { state: 'open' })
  /** There is more to do, in the queue of a provider with limits. */
  | (Done & { state: 'elsewhere'; taskQueue: string })
  /** There is more to do, when the tenant is no longer suspended. */
  | (Done & { state: 'suspended'; waitMs: number })
  | EndedJob

/**
 * Temporal's task queues. `interactive` is for jobs whose caller waits: the API processes poll it, and workflows start
 * eagerly in the process that accepted the job. `background` is for everything that takes long, in worker processes.
 * `calls` is for activities that mostly wait for other systems, and so has many slots. `webhooks` is for the receivers of
 * webhooks, which may hang for as long as they like.
 */
export const queues = {
  interactive: 'interactive',
  background: 'background',
  calls: 'calls',
  webhooks: 'webhooks',
} as const
/**
 * Values of `priorityKey`. Of the tasks waiting in a queue, lower values run first; among equals, tenants take turns.
 */
export const priorities = { caller: 1, change: 3, schedule: 5 } as const

/** The task queues in which workflows run. */
export type Queue = 'interactive' | 'background'

/**
 * Describes a kind of job. Its name in {@link kinds} is also its workflow type and the name of the activity that does
 * its steps, so that operators read the same word everywhere. A kind without a workflow of its own is run by `runJob`.
 */
export interface Kind {
  /** What `done` and `total` count, in the singular and the plural. */
  unit: readonly [one: string, several: string]
  /** The participle in the progress that operators read, such as `20 of 60 items written`. */
  doing: string
  /** How many steps one activity does at most. By default it does as many as fit into {@link sliceMs}. */
  limit?: number
  /** Set if the steps call providers, mail servers or storages. They then run in the queue `calls`. */
  calls?: true
  /** How long an activity may take, if ten minutes may be too short. */
  activityTimeout?: '1d'
  /** Set if totals are so large that the progress also shows units per second and the time left. */
  isPaced?: true
  /** Set if the steps write planned items, which the API can list. */
  hasItems?: true
  /** Set if the job reads rows of an uploaded file, some of which may be refused. */
  isImport?: true
  /** Set if the job has a result, which the API serves at `/result`. */
  hasResult?: true
  /** The signal that brings a job to its run, for kinds where one run does all jobs that have the same workflow id. */
  startsBySignal?: string
  /** The priority of its tasks; `caller` by default. */
  priority?: keyof typeof priorities
  /** Set if nobody waits for such a job to end, so that its failure has to be shown to a human. */
  unattended?: true
  /** Set if retention must not delete a failed job, because its input exists nowhere else. */
  keepsFailed?: true
  /**
   * Codes of problems that are found only once everything has been read. A job that fails with one of them has nothing
   * left to do, so its total, which was an estimate, becomes what was done.
   */
  endsWhole?: readonly string[]
  /**
   * The table of the requests that share a job, for kinds that allow it. Each row has the actor, key and hash of an
   * `Idempotency-Key`.
   */
  requests?: string
  /** Says from the input what a job is about, for the Temporal UI. The text must not name a person. */
  about?: (input: Record<string, unknown>) => string
  /** The tables that hold rows of such a job, by `job_id`. They are deleted with the job. */
  tables: readonly string[]
}

const transfer = ({ sourceKey, destinationKey, mode }: Record<string, unknown>): string =>
  `${sourceKey} → ${destinationKey}, ${mode}`

const importOf = {
  unit: ['row', 'rows'],
  doing: 'read',
  isImport: true,
  isPaced: true,
  endsWhole: ['rows-refused', 'absent-unknown', 'too-many-absent'],
  about: ({ format, mode, dryRun }: Record<string, unknown>) => `${format}, ${dryRun ? 'dry run' : mode}`,
  tables: ['import_rejects'],
} as const satisfies Kind

/** All kinds of job. The activities that do their steps have the same names, in `activities/`. */
export const kinds = {
  structuralEntityBulkUpsert: {
    unit: ['item', 'items'],
    doing: 'written',
    hasItems: true,
    tables: ['job_chunks'],
  },
  subjectImport: { ...importOf, tables: ['import_rejects', 'subject_import_moves'] },
  subjectImportUndo: {
    unit: ['subject', 'subjects'],
    doing: 'put back',
    about: ({ importId }) => `import ${importId}, back`,
    tables: [],
  },
  structuralEntityImport: { ...importOf, tables: ['import_rejects', 'job_chunks'] },
  subjectTransfer: {
    unit: ['subject', 'subjects'],
    doing: 'transferred',
    about: transfer,
    tables: ['subject_transfer_skips'],
  },
  subjectTransferUndo: {
    unit: ['subject', 'subjects'],
    doing: 'put back',
    about: input => `${transfer(input)}, back`,
    tables: ['subject_transfer_skips'],
  },
  subjectErasure: {
    unit: ['step', 'steps'],
    doing: 'done',
    about: ({ subjectId }) => `subject ${subjectId}`,
    calls: true,
    // Whoever asked was answered at once, and the person has a right to it.
    unattended: true,
    tables: [],
  },
  portalInvitation: {
    unit: ['mail', 'mails'],
    doing: 'dealt with',
    calls: true,
    unattended: true,
    tables: ['portal_mails'],
  },
  dataSetRefresh: {
    unit: ['row', 'rows'],
    doing: 'fetched',
    about: ({ dataExtractKey }) => `data set ${dataExtractKey}`,
    calls: true,
    unattended: true,
    requests: 'data_set_requests',
    tables: ['data_set_requests'],
  },
  // One run fetches all announced changes of a subject, with a pause between two fetches.
  dataChange: {
    unit: ['change', 'changes'],
    doing: 'fetched',
    about: ({ subjectId }) => `subject ${subjectId}`,
    limit: 1,
    calls: true,
    startsBySignal: changedSignal,
    priority: 'change',
    unattended: true,
    tables: [],
  },
  singlePassDelivery: {
    unit: ['form', 'forms'],
    doing: 'delivered',
    about: ({ formKey, formVersion }) => `form ${formKey}, version ${formVersion}`,
    calls: true,
    unattended: true,
    keepsFailed: true,
    tables: ['form_deliveries'],
  },
  multiExtract: {
    unit: ['definition', 'definitions'],
    doing: 'listed',
    hasResult: true,
    tables: ['form_extracts', 'form_extract_results'],
  },
  formExport: {
    unit: ['file', 'files'],
    doing: 'written',
    about: ({ export: key, mode, folder }) => `${mode} export ${key} to ${folder}`,
    calls: true,
    unattended: true,
    // Writing a file of millions of results is one step. Heartbeats show that it is still going on.
    activityTimeout: '1d',
    tables: ['form_export_jobs'],
  },
  // These two belong to the tenant of whoever has asked for them.
  tenantExport: {
    unit: ['row', 'rows'],
    doing: 'written',
    about: ({ tenantKey }) => `tenant ${tenantKey}`,
    calls: true,
    unattended: true,
    // The archive is one file, and so one step.
    activityTimeout: '1d',
    tables: [],
  },
  tenantDeletion: {
    unit: ['row', 'rows'],
    doing: 'deleted',
    about: ({ tenantKey }) => `tenant ${tenantKey}`,
    calls: true,
    isPaced: true,
    unattended: true,
    tables: [],
  },
} as const satisfies Record<string, Kind>
export type JobKind = keyof typeof kinds
export type ImportKind = { [K in JobKind]: (typeof kinds)[K] extends { isImport: true } ? K : never }[JobKind]
export const isImport = (kind: JobKind): kind is ImportKind => 'isImport' in kinds[kind]
export const jobKinds = Object.keys(kinds) as [JobKind, ...JobKind[]]

/** Returns the description of a kind, with its optional members. */
export const kindOf = (kind: JobKind): Kind => kinds[kind]

/** Returns the kinds that set an optional member. */
export const kindsWith = (member: keyof Kind): JobKind[] => jobKinds.filter(kind => member in kinds[kind])

/** How many units are done per second, and how long the remaining ones take at that pace. */
export interface Pace {
  perSecond: number
  secondsLeft: number
}

/**
 * Computes the pace at which `done` units were done within `ms`.
 * @param left units still to be done.
 * @returns undefined if no progress has been made yet.
 */
export function paceOf(done: number, ms: number, left: number): Pace | undefined {
  const perSecond = (done * 1_000) / ms
  if (!(perSecond > 0) || perSecond === Number.POSITIVE_INFINITY) return undefined
  return { perSecond: Math.round(perSecond), secondsLeft: Math.ceil(left / perSecond) }
}

/** Formats a total with its unit, such as `21 items`. */
export const counted = (kind: JobKind, total: number): string =>
  `${total.toLocaleString('en')} ${kinds[kind].unit[total === 1 ? 0 : 1]}`

/** Returns the path at which the API shows a job. */
export const addressOf = (jobId: string): string => `/api/v1/jobs/${jobId}`

/** Returns what the Temporal UI shows about a job's run, apart from its progress: in Markdown, with the way back to the console. */
export function shownOf(
  { id, kind, actor, total, input }: { id: string; kind: JobKind; actor: string; total: number; input: string | null },
  tenantKey: string,
  publicUrl: string,
) {
  const { about } = kindOf(kind)
  const job = addressOf(id)
  return {
    staticSummary: `${counted(kind, total)} from ${actor}`,
    staticDetails: [
      ...(about && input !== null ? [about(JSON.parse(input))] : []),
      `Job ${job}`,
      `[The job in the console](${publicUrl}/console/jobs/${id})`,
    ].join('\n\n'),
    memo: { job, tenant: tenantKey },
  }
}

/**
 * Returns the workflow id of a job. It is readable in the Temporal UI, and ensures that a job has one run at a time.
 */
export const workflowIdOf = (kind: JobKind, { tenantKey, jobId }: JobRef): string => `${tenantKey}/${kind}/${jobId}`

/**
 * Bulks of up to this many items run in the interactive queue, if the caller waits. They are written in one
 * transaction, by the API's own process; larger ones are written by a worker.
 */
export const interactiveItems = 1_000

/** How many assignments a transfer moves in one transaction, which takes some 50 ms. */
export const transferPage = 10_000

/** The search attribute that shows how much of a job is done, in quarters: 0, 25, 50 or 75. */
export const jobPercent = { name: 'JobPercent', type: 'INT' } as const

/**
 * How a job's failed activities are retried, in ms. There is no limit of attempts, so that a job waits out an outage of
 * any length. What can never succeed fails as non-retryable.
 */
export const stepRetry = { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 30_000 } as const

/** Pauses between the attempts of an activity, in ms. */
interface RetryPauses {
  initialInterval: number
  backoffCoefficient: number
  maximumInterval: number
}

/** Returns how long Temporal waits after a failed attempt, in ms, unless the failure says otherwise. */
export const pauseAfter = (
  attempt: number,
  { initialInterval, backoffCoefficient, maximumInterval }: RetryPauses,
): number => Math.min(initialInterval * backoffCoefficient ** (attempt - 1), maximumInterval)

/** How long one activity may occupy its worker slot, in ms. It then returns, so that other jobs get a turn. */
export const sliceMs = 2_000
