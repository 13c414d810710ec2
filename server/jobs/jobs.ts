// Endpoints that show, cancel and retry jobs, and list their items.
import { WorkflowNotFoundError } from '@temporalio/client'
import type { Knex } from 'knex'
import Type from 'typebox'
import { jobItems } from '../../db/jobs/chunks.js'
import { isOpen, type JobRow, jobStore } from '../../db/jobs/jobs.js'
import { isId } from '../../runtime/ids.js'
import { conflict, forbidden, invalid, notFound } from '../../runtime/problems/problem.js'
import type { Temporal } from '../../runtime/temporal/temporal.js'
import { jobKinds, kindOf } from '../../workflows/jobs/contracts.js'
import type { Caller } from '../caller.js'
import { accepted, type Endpoint, endpoint, ok } from '../endpoint.js'
import type { Upload } from '../middleware/upload.js'
import { inQuery, listing, PageInfo, pageOf, pageSchema, pagingQuery } from '../paging.js'
import { Id } from '../schema/guid.js'
import { moment, readRange } from '../time-range.js'
import type { AnyRequest } from './accept.js'
import { idempotencyHeaders, Job, jobStatuses, presentJob } from './present.js'
import type { Jobs } from './start.js'

const orders = { AcceptedAt: 'id' }
const itemOrders = { Position: 'position' }

const JobItem = Type.Object(
  {
    index: Type.Integer({ description: 'Place in the request, from 0.' }),
    key: Type.String(),
    layer: Type.Integer({ description: 'Items of a lower layer are written first.' }),
    outcome: Type.Enum(['created', 'updated', 'pending']),
  },
  { $id: 'JobItem' },
)

/**
 * Creates the schema of a date-time in a filter. It refuses leap seconds, which the format allows and the database does
 * not.
 */
/** Path parameters of endpoints below a job. */
export const JobPath = Type.Object({ jobId: Id })

const common = { tag: 'Jobs', scopes: ['FrameApi', 'FormsApi'] } as const

/**
 * Lets a client read the jobs it has started without `View:Job`, and a provider's client the job of the change it
 * announced.
 */
const readable = {
  scopes: ['FrameApi', 'FormsApi', 'FrameGlueDataProviderApi'],
  permission: 'View:Job',
  unless: 'the client has started the job',
} as const

interface Dependencies {
  db: Knex
  jobs: Jobs
  temporal: () => Temporal
  /** How corrected rows of an import are uploaded. */
  corrections: Upload
  /** Begins the job that imports corrected rows of `job`. */
  correct(request: AnyRequest & { type: string }, job: JobRow): Promise<JobRow>
}

/** Creates the endpoints of the caller's jobs. A job's id is a UUIDv7, so sorting by id sorts by time of acceptance. */
export const jobRoutes = ({ db, jobs, temporal, correct, corrections }: Dependencies): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listJobs',
    summary: 'Jobs, the newest first',
    method: 'get',
    path: '/api/v1/jobs',
    permission: 'List:Job',
    query: pagingQuery(orders, {
      Kind: Type.Optional(Type.Array(Type.Enum([...jobKinds]))),
      Status: Type.Optional(Type.Array(Type.Enum([...jobStatuses]))),
      AcceptedFrom: moment('Inclusive.'),
      AcceptedTo: moment('Exclusive.'),
    }),
    answers: { 200: pageSchema(Job) },
    tellsCommits: true,
    async handle({ query, caller }) {
      const accepted = readRange(query, 'Accepted', inQuery)
      if (accepted.faults.length > 0) throw invalid(accepted.faults)
      const filter = {
        kinds: query.Kind,
        statuses: query.Status,
        acceptedFrom: accepted.from,
        acceptedTo: accepted.to,
      }
      const list = listing(query, orders, ['jobs', caller.tenantId, filter], { descending: true })
      const page = await jobStore(db, caller.tenantId).page(filter, list.request)
      return ok(
        pageOf(
          page,
          list,
          'id',
          page.rows.map(job => presentJob(job, jobs.links)),
        ),
      )
    },
  }),

  endpoint({
    ...common,
    operationId: 'getJob',
    summary: 'One job with its progress',
    method: 'get',
    path: '/api/v1/jobs/:jobId',
    ...readable,
    params: JobPath,
    answers: { 200: Job },
    tellsCommits: true,
    handle: async ({ params, caller }) => ok(presentJob(await readableJob(db, caller, params.jobId), jobs.links)),
  }),

  endpoint({
    ...common,
    operationId: 'listJobItems',
    summary: 'Items of a job in the order they are written, with their outcomes',
    method: 'get',
    path: '/api/v1/jobs/:jobId/items',
    ...readable,
    params: JobPath,
    query: Type.Omit(pagingQuery(itemOrders, {}), ['Before', 'Last', 'OrderBy', 'OrderDirection']),
    answers: {
      200: Type.Object({ PageInfo, Edges: Type.Array(Type.Object({ Node: JobItem, Cursor: Type.String() })) }),
    },
    async handle({ params, query, caller }) {
      const job = await readableJob(db, caller, params.jobId)
      const list = listing(query, itemOrders, ['jobItems', caller.tenantId, job.id])
      const from = list.request.after ? Number(list.request.after.key) + 1 : 0
      const rows = await jobItems(db, caller.tenantId, job.id, {
        from,
        limit: list.request.first ?? 20,
        done: job.done,
      })
      const totalCount = hasItems(job) ? job.total : 0
      const next = from + rows.length
      const page = {
        rows,
        hasNextPage: next < totalCount,
        hasPreviousPage: from > 0 && rows.length > 0,
        totalCount,
      }
      return ok(
        pageOf(
          page,
          list,
          'position',
          rows.map(({ position: _, ...item }) => item),
        ),
      )
    },
  }),

  endpoint({
    ...common,
    operationId: 'cancelJob',
    summary: 'Cancel a job; what is written stays, and the job says how far it came',
    method: 'post',
    path: '/api/v1/jobs/:jobId/cancel',
    params: JobPath,
    permission: 'Edit:Job',
    answers: { 202: Job },
    problems: ['job-ended'],
    async handle({ params, caller }) {
      const job = await existingJob(db, caller.tenantId, params.jobId)
      if (!isOpen(job)) {
        throw conflict('job-ended', `The job is ${job.status.toLowerCase()}; only one that runs can be cancelled.`)
      }
      const handle = temporal().client.workflow.getHandle(job.workflow_id)
      await handle.cancel().catch(async error => {
        // The job was accepted but never started, so there is no run that could mark it as cancelled.
        if (!(error instanceof WorkflowNotFoundError)) throw error
        await jobStore(db, caller.tenantId).cancel(job.id)
      })
      return accepted(presentJob(await existingJob(db, caller.tenantId, job.id), jobs.links))
    },
  }),

  endpoint({
    ...common,
    operationId: 'retryJob',
    summary: 'Go on with a failed or cancelled job where it stopped; with a body, import corrected rows of an import',
    method: 'post',
    path: '/api/v1/jobs/:jobId/retry',
    params: JobPath,
    permission: 'Edit:Job',
    headers: idempotencyHeaders,
    upload: { ...corrections, isOptional: true },
    answers: { 202: Job },
    problems: ['job-not-ended', 'job-undone', 'corrections'],
    async handle(request) {
      const { params, caller, log, uploadType } = request
      const job = await existingJob(db, caller.tenantId, params.jobId)
      if (uploadType !== undefined) {
        const correction = await correct({ ...request, type: uploadType }, job)
        return accepted(presentJob(correction, jobs.links))
      }
      if (job.undone_by !== null) throw conflict('job-undone', `The job is undone by the job ${job.undone_by}.`)
      const stopped = job.status === 'Failed' || job.status === 'Cancelled'
      if (stopped) await jobs.runClosed(job)
      if (!stopped || !(await jobStore(db, caller.tenantId).reopen(job.id))) {
        throw conflict(
          'job-not-ended',
          `The job is ${job.status.toLowerCase()}; only a failed or cancelled one can be retried.`,
        )
      }
      // The job is accepted again, so if Temporal is away, the outbox starts it later.
      const retried = { ...job, attempt: job.attempt + 1 }
      await jobs
        .start(retried, caller.tenantKey)
        .catch(err => log.warn({ err, jobId: job.id }, 'retry not started yet'))
      return accepted(presentJob(await existingJob(db, caller.tenantId, job.id), jobs.links))
    },
  }),
]

/**
 * Tells whether the request listed the job's items. Jobs of other kinds find out for themselves what there is to do.
 */
const hasItems = ({ kind }: JobRow): boolean => kindOf(kind).hasItems === true

/**
 * Reads a job that the caller may see: with `View:Job` any job of the tenant, otherwise those it has started.
 * @throws Problem 404 if there is no such job. Without `View:Job` 403, so that the caller does not learn whether the
 *   job exists.
 */
async function readableJob(db: Knex, { tenantId, clientId, allows }: Caller, id: string): Promise<JobRow> {
  if (allows('View:Job')) return existingJob(db, tenantId, id)
  const job = isId(id) ? await jobStore(db, tenantId).byId(id) : undefined
  if (job?.actor !== clientId) throw forbidden('The client needs the permission View:Job.')
  return job
}

/** Reads a job of the tenant. @throws Problem 404 if there is none with this id. */
export async function existingJob(db: Knex, tenantId: number, id: string): Promise<JobRow> {
  // The column of ids is ASCII, and the database fails if it is compared with other characters.
  const job = isId(id) ? await jobStore(db, tenantId).byId(id) : undefined
  if (!job) throw notFound(`There is no job '${id}'.`)
  return job
}
