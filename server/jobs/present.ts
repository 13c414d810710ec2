// Presents jobs to clients, and declares the schemas and headers of endpoints that begin them.
import Type, { type Static } from 'typebox'
import { isOpen, type JobRow, jobStatuses } from '../../db/jobs/job-row.js'
import { addressOf, isImport, jobKinds, kindOf, type Pace, paceOf } from '../../workflows/jobs/contracts.js'

const time = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

export const Job = Type.Object(
  {
    jobId: Type.String({ format: 'uuid' }),
    kind: Type.Enum([...jobKinds]),
    status: Type.Enum([...jobStatuses]),
    actor: Type.String({
      description: 'Who asked for it: the id of a client, `account:<id>` of a person, or `schedule`.',
    }),
    attempt: Type.Integer({ description: '1, and one more by each retry.' }),
    traceId: Type.String({ description: 'Of the request that was accepted; the log lines carry it too.' }),
    progress: Type.Object({
      done: Type.Integer(),
      total: Type.Integer(),
      perSecond: Type.Optional(Type.Integer({ description: 'Only for a running import.' })),
      secondsLeft: Type.Optional(Type.Integer({ description: 'Estimated at that pace.' })),
    }),
    counts: Type.Record(Type.String(), Type.Integer(), { description: 'Items by outcome.' }),
    input: Type.Optional(
      Type.Unknown({
        description:
          'What it was asked to do, where that is not a batch of items: a transfer, by keys; an erasure, by its subject; an extract, with its instant.',
      }),
    ),
    undoneBy: Type.Optional(
      Type.String({ format: 'uuid', description: 'The job that reversed it, whose actor says who asked for that.' }),
    ),
    cancelledBy: Type.Optional(Type.String({ description: 'Who has cancelled it last, through the API.' })),
    retriedBy: Type.Optional(Type.String({ description: 'Who has retried it last.' })),
    waiting: Type.Optional(
      Type.Object(
        {
          reason: Type.String(),
          since: Type.String({ format: 'date-time' }),
          nextTry: Type.String({ format: 'date-time' }),
        },
        { description: 'Of an open job whose last attempt has failed: why, since when, and when it is tried again.' },
      ),
    ),
    problem: Type.Optional(Type.Unknown({ description: 'Why it failed, as the problem that a waiting caller got.' })),
    acceptedAt: Type.String({ format: 'date-time' }),
    startedAt: time,
    finishedAt: time,
    links: Type.Object({
      self: Type.String(),
      items: Type.String(),
      rejects: Type.Optional(Type.String({ description: 'For imports: the rows refused so far.' })),
      result: Type.Optional(Type.String({ description: 'Of an extract: what it has found, once it is completed.' })),
      temporalUi: Type.String({ description: "The job's run in the Temporal UI." }),
    }),
  },
  { $id: 'Job' },
)

/** Answers of an endpoint that runs a bulk as a job: 202 while the job is open, 204 once it is completed. */
export const bulkAnswers = { 202: Job, 204: null }
const idempotency = {
  'Idempotency-Key': Type.Optional(
    Type.String({
      description: 'The same key with the same body gets the answer of the first request; with another body, 422.',
    }),
  ),
}
/** Headers of an endpoint that takes an `Idempotency-Key`, but whose caller never waits for a job. */
export const idempotencyHeaders = Type.Object(idempotency)
/** Headers of an endpoint whose caller may wait for its job: bulks of entities, refreshes of data sets and extracts. */
export const waitingHeaders = Type.Object({
  ...idempotency,
  Prefer: Type.Optional(Type.String({ description: '`respond-async`: answer 202 with the job at once.' })),
})

/** The addresses from which a job's links to the Temporal UI, and to the pages about problems, are composed. */
export interface JobLinks {
  /** Address of the Temporal UI. */
  uiUrl: string
  namespace: string
  /** Path of the public address; see `basePathOf`. */
  basePath: string
}

/** Converts a job's row to the form that clients see. */
export function presentJob(job: JobRow, { uiUrl, namespace, basePath }: JobLinks): Static<typeof Job> {
  const self = addressOf(job.id)
  return {
    jobId: job.id,
    kind: job.kind,
    status: job.status,
    actor: job.actor,
    attempt: job.attempt,
    traceId: job.trace_id,
    progress: { done: job.done, total: job.total, ...runningPace(job) },
    counts: JSON.parse(job.counts),
    ...(job.input === null ? {} : { input: JSON.parse(job.input) }),
    ...(job.undone_by === null ? {} : { undoneBy: job.undone_by }),
    ...(job.cancelled_by === null ? {} : { cancelledBy: job.cancelled_by }),
    ...(job.retried_by === null ? {} : { retriedBy: job.retried_by }),
    ...(job.waiting === null || !isOpen(job) ? {} : { waiting: JSON.parse(job.waiting) }),
    ...(job.problem === null ? {} : { problem: presentProblem(job.problem, basePath) }),
    acceptedAt: job.accepted_at.toISOString(),
    startedAt: job.started_at?.toISOString() ?? null,
    finishedAt: job.finished_at?.toISOString() ?? null,
    links: {
      self,
      items: `${self}/items`,
      ...(isImport(job.kind) ? { rejects: `${self}/rejects` } : {}),
      ...(kindOf(job.kind).hasResult ? { result: `${self}/result` } : {}),
      temporalUi: `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(job.workflow_id)}`,
    },
  }
}

/**
 * Returns the pace of a running job whose kind shows one. A retry has none, since it starts with units that an earlier
 * attempt has done, and the time those took is not known.
 */
function runningPace({ kind, status, attempt, started_ms, done, total }: JobRow): Pace | undefined {
  if (!kindOf(kind).isPaced || status !== 'Running' || attempt > 1 || !started_ms) return undefined
  return paceOf(done, started_ms, total - done)
}

/** Converts the problem that is stored with a job to the form that clients see. */
export function presentProblem(stored: string, basePath: string) {
  const { status, code, title, detail, faults } = JSON.parse(stored)
  return {
    type: `${basePath}/problems/${code}`,
    title,
    status,
    detail,
    ...(faults.length > 0 ? { errors: faults } : {}),
  }
}
