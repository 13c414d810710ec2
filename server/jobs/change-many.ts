// Retries or cancels the jobs that a filter finds, for a tenant and for the platform.
import type { Knex } from 'knex'
import Type, { type TProperties } from 'typebox'
import { timeOf } from '../../db/clock.js'
import type { Whose } from '../../db/jobs/job-list.js'
import { jobStatuses } from '../../db/jobs/job-row.js'
import type { ChangedJob } from '../../db/jobs/jobs.js'
import type { TenantJob } from '../../db/jobs/jobs-across-tenants.js'
import {
  changeableStatuses,
  countToChange,
  firstToChange,
  type JobChange,
  statusesToChange,
} from '../../db/jobs/jobs-to-change.js'
import { groupedBy, slices } from '../../db/rows.js'
import type { Log } from '../../runtime/observe/log.js'
import { fault, invalid } from '../../runtime/problems/problem.js'
import { jobKinds } from '../../workflows/jobs/contracts.js'
import type { Caller } from '../caller.js'
import { type Answer, type Endpoint, endpoint, ok } from '../endpoint.js'
import { guid } from '../schema/guid.js'
import { moment } from '../time-range.js'
import { type FilterQuery, jobFilter, readJobFilter } from './job-filter.js'
import { kindsNotRetried, requireRetry } from './retry-permission.js'
import type { Jobs } from './start.js'

/** How many jobs one call changes. */
const mostPerCall = 500

/** How many of them one transaction changes. As many are then started at the same time. */
const atOnce = 25

const withoutStatus = {
  retry: 'Without it failed jobs are meant.',
  cancel: 'Without it open jobs are meant. Failed ones are given up.',
}

/** Added to the description of AsOf: which jobs that have changed since are changed all the same. */
const retriedSince = {
  retry: '',
  cancel: ' A job that was retried since, and is open again, is cancelled with the others.',
}

/** Returns the query of a call that changes jobs. @param more what the list's filter has besides. */
export const changeQuery = <More extends TProperties>(change: JobChange, more: More) =>
  Type.Object({
    ...more,
    ...jobFilter,
    Status: Type.Optional(
      Type.Array(Type.Enum([...changeableStatuses[change]]), { description: withoutStatus[change] }),
    ),
    AsOf: moment(
      `The \`asOf\` of an answer that was given without it. Without AsOf nothing is changed.${retriedSince[change]}`,
    ),
    After: Type.Optional(guid({ description: 'The last jobId of the call before, to go on behind it.' })),
  })

interface ChangeQuery extends FilterQuery {
  AsOf?: string
  After?: string
}

/** How the calls that change many jobs work, for their descriptions. */
export const changesInTurn = `The first call, without AsOf, changes nothing: it says how many jobs there are by kind and status, and as of when. The same call with that time as AsOf changes up to ${mostPerCall} of them, and says of each what became of it. Jobs that were accepted or have ended since are left alone, so no job is retried twice however often a call is repeated. While \`left\` is not 0, repeat the call with After.`

/** Which permissions a retry needs besides, for the descriptions. */
export const withTenants =
  'Deletions and exports of tenants are left out unless the caller has `Delete:Tenant` or `Export:Tenant`; without it, a Kind that names them is answered 403.'

const outcomes = { retry: 'retried', cancel: 'cancelled' } as const

/** The answer of a call that changes jobs. */
export const ChangedJobs = Type.Object(
  {
    applied: Type.Boolean({ description: 'False for a call without AsOf.' }),
    asOf: Type.String({ format: 'date-time' }),
    found: Type.Integer({ description: 'How many jobs there were for this call, or behind After.' }),
    kinds: Type.Array(
      Type.Object({ kind: Type.Enum([...jobKinds]), status: Type.Enum([...jobStatuses]), jobs: Type.Integer() }),
      { description: 'The same, by kind and status.' },
    ),
    jobs: Type.Array(
      Type.Object({
        tenant: Type.String({ description: 'The key of its tenant.' }),
        jobId: Type.String({ format: 'uuid' }),
        kind: Type.Enum([...jobKinds]),
        outcome: Type.Enum([...Object.values(outcomes), 'skipped'], {
          description:
            'skipped: it has changed since it was found, or its last run is just closing, and nothing was done with it.',
        }),
        status: Type.Optional(Type.Enum([...jobStatuses], { description: 'Its present status, if it still exists.' })),
      }),
      { description: 'What became of each job.' },
    ),
    left: Type.Integer({ description: 'How many jobs this call has not looked at.' }),
  },
  { $id: 'ChangedJobs' },
)

interface Request {
  query: ChangeQuery
  caller: Caller
  log: Log
}

/**
 * Retries or cancels the jobs that the query finds, or counts them.
 * @throws Problem 400 for a filter that is wrong, or a time that is still to come; 403 for a retry as {@link requireRetry}; 503 while a retry finds Temporal away.
 */
export async function changeMany(
  { query, caller, log }: Request,
  { db, jobs }: { db: Knex; jobs: Jobs },
  change: JobChange,
  whose: Whose,
): Promise<Answer> {
  const now = await timeOf(db)
  const isPlan = query.AsOf === undefined
  const asOf = query.AsOf === undefined ? now : new Date(query.AsOf)
  if (asOf > now)
    throw invalid([fault('/query/AsOf', 'not-allowed', 'It is still to come: give the asOf of the answer without it.')])
  const filter = readJobFilter(query)
  if (change === 'retry') requireRetry(caller, filter.kinds ?? [])
  const without = change === 'retry' ? kindsNotRetried(caller) : []
  const which = { change, whose, filter, without, asOf, after: query.After }
  const kinds = await countToChange(db, which)
  const some = isPlan ? [] : await firstToChange(db, which, mostPerCall)
  const statuses = statusesToChange(change, filter)
  const changed = new Map<string, ChangedJob>()
  for (const ofTenant of groupedBy(some, job => job.tenant_id).values()) {
    for (const together of slices(ofTenant, atOnce)) {
      const done = await (change === 'retry'
        ? jobs.retryTogether(together, statuses, log)
        : jobs.cancelTogether(together, statuses))
      for (const job of done) changed.set(job.id, job)
    }
  }
  const isChanged = ({ id }: TenantJob) => changed.get(id)?.isChanged ?? false
  if (change === 'cancel') jobs.cancelRuns(some.filter(isChanged), log)
  const present = (job: TenantJob) => {
    const { id, kind, tenant_key } = job
    const status = changed.get(id)?.status
    const outcome = isChanged(job) ? outcomes[change] : 'skipped'
    return { tenant: tenant_key, jobId: id, kind, outcome, ...(status && { status }) }
  }
  const found = kinds.reduce((sum, { jobs }) => sum + jobs, 0)
  const left = Math.max(found - some.length, 0)
  return ok({ applied: !isPlan, asOf: asOf.toISOString(), found, kinds, jobs: some.map(present), left })
}

const common = { tag: 'Jobs', scopes: ['FrameApi', 'FormsApi'] } as const

/** Lets a tenant retry and cancel many of its jobs at once. */
export const manyJobRoutes = (dependencies: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'retryJobs',
    summary: 'Retry the failed jobs that a filter finds, after saying which these are',
    description: `Retries failed jobs by the filter of listJobs, or cancelled ones, if Status says so. ${withTenants} ${changesInTurn}`,
    method: 'post',
    path: '/api/v1/jobs/retry',
    permission: 'Edit:Job',
    query: changeQuery('retry', {}),
    answers: { 200: ChangedJobs },
    handle: request => changeMany(request, dependencies, 'retry', request.caller.tenantId),
  }),

  endpoint({
    ...common,
    operationId: 'cancelJobs',
    summary: 'Cancel or give up the jobs that a filter finds, after saying which these are',
    description: `Cancels open jobs by the filter of listJobs, or gives failed ones up, if Status says so. ${changesInTurn}`,
    method: 'post',
    path: '/api/v1/jobs/cancel',
    permission: 'Edit:Job',
    query: changeQuery('cancel', {}),
    answers: { 200: ChangedJobs },
    handle: request => changeMany(request, dependencies, 'cancel', request.caller.tenantId),
  }),
]
