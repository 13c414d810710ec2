// What a job is to its workflow, to those who start it, and to operators; all kinds of job.
import { changedSignal } from '../glue/contracts.js'

/** Which job a workflow carries: ids only; input, progress and outcome stand in MySQL. */
export interface JobRef {
  tenantKey: string
  jobId: string
}

/**
 * Input of a job's workflow. It includes the queue, which decides how activities are called. The workflow cannot ask Temporal for it,
 * because a test that replays a history runs in a queue of its own, and would take another path than the recorded run.
 */
export interface JobInput extends JobRef {
  queue: Queue
}

/** Input of the activity that does a job's steps. */
export interface StepsInput extends JobRef {
  /** Most steps; as many as its slot has time for, where it is absent. */
  limit?: number | undefined
}

/** How far a job is. */
interface Done {
  done: number
  total: number
}

/** How a job ends: with all that it had to do, or early, with less done than its total. */
export type JobEnd = 'all' | 'early'

/** A job that has ended. */
export interface EndedJob extends Done {
  state: 'ended'
  end: JobEnd
  /** Units by outcome. */
  counts: Record<string, number>
}

/** What an activity says of its job when it returns. */
export type JobProgress =
  /** It goes on in its own queue. */
  | (Done & { state: 'open' })
  /** It goes on in the queue of a provider with limits. */
  | (Done & { state: 'elsewhere'; taskQueue: string })
  | EndedJob

/**
 * `interactive`: a caller waits, and the workflow starts eagerly in the API's own process. `background`: everything long, in
 * worker processes of its own. `calls`: activities that wait for others, for whom there are many slots.
 */
export const queues = { interactive: 'interactive', background: 'background', calls: 'calls' } as const
/** Order of tasks that wait in a queue, for `priorityKey`: lower ones first. Among equals each tenant has its turn. */
export const priorities = { caller: 1, change: 3, schedule: 5 } as const

/** Task queues of workflows. */
export type Queue = 'interactive' | 'background'

/**
 * A kind of job. Its name is also its workflow type and that of the activity that does its steps, so that operators read the
 * same word everywhere. A kind without a workflow of its own is run by `runJob`.
 */
export interface Kind {
  /** Unit of the total: one, and several. */
  unit: readonly [one: string, several: string]
  /** Participle for the progress, as operators read it: `20 of 60 items written`. */
  doing: string
  /** Most steps of one activity; without it an activity goes on until its slot is due back. */
  limit?: number
  /** The steps call providers, mail servers or storages: they wait in the queue of calls. */
  calls?: true
  /** How long an activity may take, where ten minutes may not do. */
  activityTimeout?: '1d'
  /** The total is so large that the progress says units a second, and the time that is left. */
  isPaced?: true
  /** Its steps write a planned batch, whose items the API lists. */
  hasItems?: true
  /** Its rows are those of an upload, and some may be refused. */
  isImport?: true
  /** What it has found can be read at `/result`. */
  hasResult?: true
  /** Signal that tells a run of another job: one run does all jobs with its id. */
  startsBySignal?: string
  /** Its place in a queue, where that is not the caller's. */
  priority?: keyof typeof priorities
  /** A failed job is not forgotten: what it was to do is nowhere else. */
  keepsFailed?: true
  /**
   * Codes of problems that are found only once everything has been read. A job that fails with one of them has nothing left to do,
   * so its total, which was an estimate, becomes what was done.
   */
  endsWhole?: readonly string[]
  /** Table of requests that share a job; each has the actor, key and hash of its `Idempotency-Key`. */
  requests?: string
  /** Subject of a job, from its input, as operators read it in the Temporal UI. It names no person. */
  about?: (input: Record<string, unknown>) => string
  /** Tables with rows of a job of this kind, under its `job_id`: they are forgotten with the job. */
  tables: readonly string[]
}

const transfer = ({ sourceKey, destinationKey, mode }: Record<string, unknown>): string =>
  `${sourceKey} → ${destinationKey}, ${mode}`

const importOf = {
  unit: ['row', 'rows'],
  doing: 'read',
  isImport: true,
  isPaced: true,
  endsWhole: ['rows-refused', 'absent-unknown'],
  about: ({ format, mode, dryRun }: Record<string, unknown>) => `${format}, ${dryRun ? 'dry run' : mode}`,
  tables: ['import_rejects'],
} as const satisfies Kind

/** All kinds of job. The activities with their steps are in `activities/`, under the same names. */
export const kinds = {
  structuralEntityBulkUpsert: {
    unit: ['item', 'items'],
    doing: 'written',
    hasItems: true,
    tables: ['job_chunks'],
  },
  subjectImport: importOf,
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
    tables: [],
  },
  portalInvitation: {
    unit: ['mail', 'mails'],
    doing: 'dealt with',
    calls: true,
    tables: ['portal_mails'],
  },
  dataSetRefresh: {
    unit: ['row', 'rows'],
    doing: 'fetched',
    about: ({ dataExtractKey }) => `data set ${dataExtractKey}`,
    calls: true,
    requests: 'data_set_requests',
    tables: ['data_set_requests'],
  },
  // One run for all changes of a subject, which pauses between two fetches.
  dataChange: {
    unit: ['change', 'changes'],
    doing: 'fetched',
    about: ({ subjectId }) => `subject ${subjectId}`,
    limit: 1,
    calls: true,
    startsBySignal: changedSignal,
    priority: 'change',
    tables: [],
  },
  singlePassDelivery: {
    unit: ['form', 'forms'],
    doing: 'delivered',
    about: ({ formKey, formVersion }) => `form ${formKey}, version ${formVersion}`,
    calls: true,
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
    // A file may have millions of results; that it is still being written is told by heartbeats.
    activityTimeout: '1d',
    tables: ['form_export_jobs'],
  },
} as const satisfies Record<string, Kind>
export type JobKind = keyof typeof kinds
export type ImportKind = { [K in JobKind]: (typeof kinds)[K] extends { isImport: true } ? K : never }[JobKind]
export const isImport = (kind: JobKind): kind is ImportKind => 'isImport' in kinds[kind]
export const jobKinds = Object.keys(kinds) as [JobKind, ...JobKind[]]

/** The facts of a kind. */
export const kindOf = (kind: JobKind): Kind => kinds[kind]

/** The kinds that have such a member. */
export const kindsWith = (member: keyof Kind): JobKind[] => jobKinds.filter(kind => member in kinds[kind])

/** How fast units were done, and how long the others take at that pace. */
export interface Pace {
  perSecond: number
  secondsLeft: number
}

/** @param done units of the last `ms`. @param left units that are still to come. Undefined where there is none to go by. */
export function paceOf(done: number, ms: number, left: number): Pace | undefined {
  const perSecond = (done * 1_000) / ms
  if (!(perSecond > 0) || perSecond === Number.POSITIVE_INFINITY) return undefined
  return { perSecond: Math.round(perSecond), secondsLeft: Math.ceil(left / perSecond) }
}

/** `21 items`. */
const counted = (kind: JobKind, total: number): string =>
  `${total.toLocaleString('en')} ${kinds[kind].unit[total === 1 ? 0 : 1]}`

/** Where the API shows a job. */
export const addressOf = (jobId: string): string => `/api/v1/jobs/${jobId}`

/** Texts of a run for its page in the Temporal UI, beside its progress. */
export function shownOf(
  { id, kind, actor, total, input }: { id: string; kind: JobKind; actor: string; total: number; input: string | null },
  tenantKey: string,
) {
  const { about } = kindOf(kind)
  const job = addressOf(id)
  return {
    staticSummary: `${counted(kind, total)} from ${actor}`,
    staticDetails: [...(about && input !== null ? [about(JSON.parse(input))] : []), `Job ${job}`].join('\n\n'),
    memo: { job, tenant: tenantKey },
  }
}

/** Readable in the Temporal UI's list, and one run at a time for a job. */
export const workflowIdOf = (kind: JobKind, { tenantKey, jobId }: JobRef): string => `${tenantKey}/${kind}/${jobId}`

/** Most items of a bulk that a caller waits for in the interactive queue: its run writes them in one transaction. */
export const interactiveItems = 1_000

/** Assignments of one transaction of a transfer: some 50 ms. */
export const transferPage = 10_000

/** So long an activity does one step after the other before it gives its slot back, in ms: others wait no longer for it. */
export const sliceMs = 2_000
