// Endpoints that show, cancel and retry jobs, and list their items.
import type { Knex } from 'knex'
import Type from 'typebox'
import { transaction } from '../../db/errors.js'
import { importOf } from '../../db/frame/imports/imports.js'
import { absentAtMost, absentPermission } from '../../db/frame/imports/unassign-absent.js'
import { jobItems } from '../../db/jobs/chunks.js'
import { saveAnswer } from '../../db/jobs/idempotent-answers.js'
import { jobPage } from '../../db/jobs/job-list.js'
import { cancellableStatuses, isStopped, type JobRow } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { isId } from '../../runtime/ids.js'
import { conflict, fault, forbidden, invalid, notFound } from '../../runtime/problems/problem.js'
import { isImport, kindOf } from '../../workflows/jobs/contracts.js'
import type { Caller } from '../caller.js'
import { accepted, type Endpoint, endpoint, ok } from '../endpoint.js'
import { requestHash } from '../idempotency.js'
import type { Upload } from '../middleware/upload.js'
import { listing, PageInfo, pageOf, pageSchema, pagingQuery } from '../paging.js'
import { Id } from '../schema/guid.js'
import type { AnyRequest, JobRequest } from './accept.js'
import { countedHours, countJobs, JobCounts } from './counts.js'
import { jobFilter, readJobFilter } from './job-filter.js'
import { earlierUse, oncePerKey } from './once.js'
import { idempotencyHeaders, Job, presentJob } from './present.js'
import { requireRetry } from './retry-permission.js'
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

/** The schema of the parameter that lets more rows of a data set vanish than its manifest does. */
export const mostVanished = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 100,
    description:
      'For a refresh: how many per cent of the visible rows may vanish, in place of mostVanished of the manifest. With 100 ' +
      'any rows are shown, after a job has failed with `too-many-vanished` although the provider is right.',
  }),
)

/** Path parameters of endpoints below a job. */
export const JobPath = Type.Object({ jobId: Id })

const common = { tag: 'Jobs', scopes: ['FrameApi', 'FormsApi'] } as const

/**
 * Lets a client read, cancel and retry the jobs it has started without a permission: a provider's client the job of
 * the change it announced, one of the platform that of a tenant that it deletes.
 */
const own = {
  scopes: ['FrameApi', 'FormsApi', 'FrameGlueDataProviderApi', 'PlatformAdmin'],
  unless: 'the client has started the job',
} as const

interface Dependencies {
  db: Knex
  jobs: Jobs
  /** How corrected rows of an import are uploaded. */
  corrections: Upload
  /** Begins the job that imports corrected rows of `job`. */
  correct(request: AnyRequest & { type: string }, job: JobRow): Promise<JobRow>
}

/** Creates the endpoints of the caller's jobs. A job's id is a UUIDv7, so sorting by id sorts by time of acceptance. */
export const jobRoutes = ({ db, jobs, correct, corrections }: Dependencies): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listJobs',
    summary: 'Jobs, the newest first',
    description:
      "Lists the tenant's jobs with their state. Jobs are kept for some days after they have ended, as the operator has set, and are then deleted with their items and results. A job that a caller is about to wait for is better read by its id.",
    method: 'get',
    path: '/api/v1/jobs',
    permission: 'List:Job',
    query: pagingQuery(orders, jobFilter),
    answers: { 200: pageSchema(Job) },
    tellsCommits: true,
    live: true,
    async handle({ query, caller }) {
      const filter = readJobFilter(query)
      const list = listing(query, orders, ['jobs', caller.tenantId, filter], { descending: true })
      const page = await jobPage(db, caller.tenantId, filter, list.request)
      return ok(await pageOf(page, list, 'id', job => presentJob(job, jobs.links)))
    },
  }),

  endpoint({
    ...common,
    operationId: 'countJobs',
    summary: 'Jobs of the last 24 hours, counted by hour and status',
    description: `${countedHours} It answers whether the night went well with one call, where a list would have to be read page by page.`,
    method: 'get',
    path: '/api/v1/jobCounts',
    permission: 'List:Job',
    answers: { 200: JobCounts },
    live: true,
    handle: ({ caller }) => countJobs(db, caller.tenantId),
  }),

  endpoint({
    ...common,
    operationId: 'getJob',
    summary: 'One job with its progress',
    description:
      'Shows how far a job is: `status`, `progress`, `counts` by outcome, and `problem` once it has failed. A job that waits for a provider or for the platform says so in `waiting`, with the time of the next attempt. Ask again every few seconds until `status` is Completed, Failed or Cancelled, watch it, or subscribe to events of jobs with a webhook.',
    method: 'get',
    path: '/api/v1/jobs/:jobId',
    ...own,
    permission: 'View:Job',
    params: JobPath,
    answers: { 200: Job },
    tellsCommits: true,
    live: true,
    handle: async ({ params, caller }) =>
      ok(presentJob(await permittedJob(db, caller, params.jobId, 'View:Job'), jobs.links)),
  }),

  endpoint({
    ...common,
    operationId: 'listJobItems',
    summary: 'Items of a job in the order they are written, with their outcomes',
    description:
      'Lists what a bulk of structural entities writes, parents before children, which is not the order of the request. An item that is not yet written, or no longer will be, is `pending`. Jobs of other kinds have no items and answer an empty page; the list can only be read forward.',
    method: 'get',
    path: '/api/v1/jobs/:jobId/items',
    ...own,
    permission: 'View:Job',
    params: JobPath,
    query: Type.Omit(pagingQuery(itemOrders, {}), ['Before', 'Last', 'OrderBy', 'OrderDirection']),
    answers: {
      200: Type.Object({ PageInfo, Edges: Type.Array(Type.Object({ Node: JobItem, Cursor: Type.String() })) }),
    },
    async handle({ params, query, caller }) {
      const job = await permittedJob(db, caller, params.jobId, 'View:Job')
      const list = listing(query, itemOrders, ['jobItems', caller.tenantId, job.id])
      const from = list.request.after ? Number(list.request.after.key) + 1 : 0
      const { tenantId } = caller
      const asked = { from, limit: list.request.first ?? 20, done: job.done }
      const rows = hasItems(job) ? await jobItems(db, tenantId, job.id, asked) : []
      const totalCount = hasItems(job) ? job.total : 0
      const next = from + rows.length
      const page = {
        rows,
        hasNextPage: next < totalCount,
        hasPreviousPage: from > 0 && rows.length > 0,
        totalCount,
      }
      return ok(await pageOf(page, list, 'position', ({ position: _, ...item }) => item))
    },
  }),

  endpoint({
    ...common,
    operationId: 'cancelJob',
    summary: 'Cancel a job that runs, or give up one that has failed; what is written stays',
    description:
      'Asks an open job to stop. It stops between two steps, so what is written stays written, and `progress` says how far it came. This also works while Temporal is away. A failed job that is not to be retried is given up, so that it no longer waits for anybody. One that is completed or cancelled is answered 409 `job-ended`; a cancelled job can be continued with a retry.',
    method: 'post',
    path: '/api/v1/jobs/:jobId/cancel',
    ...own,
    permission: 'Edit:Job',
    params: JobPath,
    answers: { 202: Job },
    problems: ['job-ended', 'job-undone'],
    async handle(request) {
      const { params, caller } = request
      const job = await permittedJob(db, caller, params.jobId, 'Edit:Job')
      if (!cancellableStatuses.includes(job.status)) {
        throw conflict(
          'job-ended',
          `The job is ${job.status.toLowerCase()}; only one that runs or has failed can be cancelled.`,
        )
      }
      requireNotUndone(job)
      await jobs.cancel(request, job)
      return accepted(presentJob(await existingJob(db, caller.tenantId, job.id), jobs.links))
    },
  }),

  endpoint({
    ...common,
    operationId: 'retryJob',
    summary: 'Go on with a failed or cancelled job where it stopped; with a body, import corrected rows of an import',
    description:
      'Accepts a failed or cancelled job again. That of the deletion or export of a tenant, if the client has not started it, needs `Delete:Tenant` or `Export:Tenant` too. It continues after its last written step; a refresh whose pages were refused (`too-many-vanished`, `pages-drifted`) fetches all pages again. With a body of corrected rows, an import with Mode=each that has ended is followed by a new job that imports these rows with the same column map. Send an `Idempotency-Key`: without one, a repetition finds the job running and is answered 409 `job-not-ended`.',
    method: 'post',
    path: '/api/v1/jobs/:jobId/retry',
    ...own,
    permission: 'Edit:Job',
    params: JobPath,
    headers: idempotencyHeaders,
    query: Type.Object({
      AbsentAtMost: absentAtMost(
        'Confirms that an import that failed with `too-many-absent` takes up to so many subjects from their places.',
      ),
      MostVanished: mostVanished,
    }),
    upload: { ...corrections, isOptional: true },
    answers: { 202: Job },
    problems: ['job-not-ended', 'job-undone', 'corrections'],
    async handle(request) {
      const { params, query, caller, log, uploadType } = request
      const job = await permittedJob(db, caller, params.jobId, 'Edit:Job')
      if (job.actor !== caller.clientId) requireRetry(caller, [job.kind])
      if (query.AbsentAtMost !== undefined) requireBrake(job, caller, uploadType !== undefined)
      if (query.MostVanished !== undefined && job.kind !== 'dataSetRefresh')
        throw invalid([fault('/query/MostVanished', 'not-allowed', 'Only the refresh of a data set takes it.')])
      if (uploadType !== undefined) {
        const correction = await correct({ ...request, type: uploadType }, job)
        return accepted(presentJob(correction, jobs.links))
      }
      const confirmed = {
        ...(query.AbsentAtMost !== undefined && { absentAtMost: query.AbsentAtMost }),
        ...(query.MostVanished !== undefined && { mostVanished: query.MostVanished }),
      }
      const { idempotency: sent } = request
      const idempotency = sent && { ...sent, hash: requestHash(sent.hash, JSON.stringify(confirmed)) }
      const keyed = { ...request, idempotency }
      const { made: retried } = await oncePerKey(
        () => earlierUse(db, keyed),
        () => reopened(db, jobs, keyed, job, confirmed),
      )
      // The job is accepted again, so if Temporal is away, the outbox starts it later.
      if (retried)
        await jobs
          .start(retried, caller.tenantKey)
          .catch(err => log.warn({ err, jobId: job.id }, 'retry not started yet'))
      return accepted(presentJob(await existingJob(db, caller.tenantId, job.id), jobs.links))
    },
  }),
]

/**
 * Checks that a retry may say how many subjects lose their places.
 * @throws Problem 400 if the job is no import with Absent=unassign, or the retry has rows of its own; 403 without the permission.
 */
function requireBrake(job: JobRow, { allows }: Caller, hasRows: boolean): void {
  if (!isImport(job.kind) || importOf(job).absent !== 'unassign' || hasRows) {
    const detail = 'AbsentAtMost is for an import with Absent=unassign that is retried without rows.'
    throw invalid([fault('/query/AbsentAtMost', 'unknown-parameter', detail)])
  }
  if (!allows(absentPermission)) throw forbidden(`The caller needs the permission ${absentPermission}.`)
}

function requireNotUndone(job: JobRow): void {
  if (job.undone_by !== null) throw conflict('job-undone', `The job is undone by the job ${job.undone_by}.`)
}

/**
 * Sets a failed or cancelled job back to accepted, and stores that the request's `Idempotency-Key` has done so.
 * @param confirmed members of the job's input that the retry changes.
 * @returns the job as its next attempt. @throws Problem 409 if it is undone, or neither failed nor cancelled.
 */
async function reopened(
  db: Knex,
  jobs: Jobs,
  { caller, idempotency }: JobRequest,
  job: JobRow,
  confirmed: object,
): Promise<JobRow> {
  requireNotUndone(job)
  const { tenantId, clientId } = caller
  const stopped = isStopped(job)
  // A run that does all jobs of its workflow id takes this one up again before it closes.
  if (stopped && kindOf(job.kind).startsBySignal === undefined) await jobs.runClosed(job)
  const isConfirmed = Object.keys(confirmed).length > 0
  const input = isConfirmed ? JSON.stringify({ ...JSON.parse(job.input ?? '{}'), ...confirmed }) : undefined
  const detail = `The job is ${job.status.toLowerCase()}; only a failed or cancelled one can be retried.`
  const notEnded = conflict('job-not-ended', detail)
  if (!stopped) throw notEnded
  await transaction(db, tenantId, async trx => {
    if (!(await jobStore(db, tenantId).reopen(trx, job.id, input))) throw notEnded
    if (idempotency) await saveAnswer(trx, tenantId, clientId, idempotency, [[job.id, 'updated']])
  })
  return { ...job, attempt: job.attempt + 1 }
}

/**
 * Tells whether the request listed the job's items. Jobs of other kinds find out for themselves what there is to do.
 */
const hasItems = ({ kind }: JobRow): boolean => kindOf(kind).hasItems === true

/**
 * Reads a job that the caller may see or change: with the permission any job of the tenant, otherwise those it has
 * started.
 * @throws Problem 404 if there is no such job. Without the permission 403, so that the caller does not learn whether the
 *   job exists.
 */
export async function permittedJob(
  db: Knex,
  { tenantId, clientId, allows }: Caller,
  id: string,
  permission: 'View:Job' | 'Edit:Job',
): Promise<JobRow> {
  if (allows(permission)) return existingJob(db, tenantId, id)
  const job = isId(id) ? await jobStore(db, tenantId).byId(id) : undefined
  if (job?.actor !== clientId) throw forbidden(`The caller needs the permission ${permission}.`)
  return job
}

/** Reads a job of the tenant. @throws Problem 404 if there is none with this id. */
export async function existingJob(db: Knex, tenantId: number, id: string): Promise<JobRow> {
  // The column of ids is ASCII, and the database fails if it is compared with other characters.
  const job = isId(id) ? await jobStore(db, tenantId).byId(id) : undefined
  if (!job) throw notFound(`There is no job '${id}'.`)
  return job
}
