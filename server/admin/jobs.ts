// Administration endpoints that list, retry and cancel jobs of all tenants.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { jobPage, type Whose, withTenantKeys } from '../../db/jobs/job-list.js'
import type { JobRow } from '../../db/jobs/job-row.js'
import { fault, invalid } from '../../runtime/problems/problem.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { ChangedJobs, changeMany, changeQuery, changesInTurn, withTenants } from '../jobs/change-many.js'
import { countedHours, countJobs, JobCounts } from '../jobs/counts.js'
import { jobFilter, readJobFilter } from '../jobs/job-filter.js'
import { Job, type JobLinks, presentJob } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'
import { listing, pageOf, pageSchema, pagingQuery } from '../paging.js'

const common = { tag: 'Administration', scopes: ['PlatformAdmin'] } as const

/** The orders of all jobs, and those of one tenant's, whose key is in order of time. */
const orders = { AcceptedAt: 'accepted_at' }
const ordersOfOne = { AcceptedAt: 'id' }

/** How many jobs are counted. To count a million takes longer than an operator should wait for a page. */
const mostCounted = 10_000

const { input: _, problem: __, links: ___, ...shown } = Job.properties

const PlatformJob = Type.Object(
  {
    tenant: Type.String({ description: 'The key of the tenant.' }),
    ...shown,
    problem: Type.Optional(
      Type.Unknown({ description: 'Why it failed, without the faults of single items, which the tenant sees.' }),
    ),
    links: Type.Object({ temporalUi: Type.String({ description: "The job's run in the Temporal UI." }) }),
  },
  { $id: 'PlatformJob', description: 'A job without its input, items and results.' },
)

/** Converts a job to what an operator sees: no payloads, and nothing about single items. */
function present({ tenant_key, ...job }: JobRow & { tenant_key: string }, links: JobLinks): Static<typeof PlatformJob> {
  const {
    input: _,
    problem,
    links: { temporalUi },
    ...rest
  } = presentJob(job, links)
  const { errors: __, ...withoutErrors } = Object(problem)
  return {
    tenant: tenant_key,
    ...rest,
    ...(problem === undefined ? {} : { problem: withoutErrors }),
    links: { temporalUi },
  }
}

/** The parameters by which the jobs of all tenants are filtered. */
const platformJobFilter = { Tenant: Type.Optional(Type.String({ description: 'Its key.' })), ...jobFilter }

/**
 * Reads whose jobs are meant.
 * @throws Problem 404 for an unknown tenant; 400 for data sets without one.
 */
async function whoseOf(db: Knex, query: { Tenant?: string; DataSet?: string[] }): Promise<Whose> {
  if (query.Tenant !== undefined) return tenantIdOf(db, query.Tenant)
  if (query.DataSet === undefined) return 'all tenants'
  throw invalid([fault('/query/DataSet', 'not-allowed', 'Name the Tenant whose data sets they are.')])
}

/** Shows operators the jobs of all tenants, and lets them retry and cancel many at once. */
export const platformJobRoutes = ({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listJobsOfTenants',
    summary: 'Jobs of all tenants, the newest first',
    description: `Lists the jobs of all tenants, or of one, by the filter of listJobs. A job has its tenant, its state, and the problem with which it failed, but neither what it was asked to do nor what it has found. At most ${mostCounted.toLocaleString('en')} jobs are counted, so a TotalCount of that number means so many or more. DataSet needs Tenant, because the keys of data sets belong to tenants.`,
    permission: 'List:PlatformJob',
    method: 'get',
    path: '/admin/v1/jobs',
    query: pagingQuery(orders, platformJobFilter),
    answers: { 200: pageSchema(PlatformJob) },
    problems: ['not-found'],
    live: true,
    async handle({ query }) {
      const filter = readJobFilter(query)
      const whose = await whoseOf(db, query)
      const inOrder = whose === 'all tenants' ? orders : ordersOfOne
      const list = listing(query, inOrder, ['jobsOfTenants', whose, filter], { descending: true })
      const page = await jobPage(db, whose, filter, list.request, mostCounted)
      const rows = await withTenantKeys(db, page.rows)
      return ok(await pageOf({ ...page, rows }, list, 'id', job => present(job, jobs.links)))
    },
  }),

  endpoint({
    ...common,
    operationId: 'countJobsOfTenants',
    summary: 'Jobs of the last 24 hours of all tenants, counted by hour and status',
    description: `${countedHours} They are those of all tenants, or of one.`,
    permission: 'List:PlatformJob',
    method: 'get',
    path: '/admin/v1/jobCounts',
    query: Type.Object({ Tenant: platformJobFilter.Tenant }),
    answers: { 200: JobCounts },
    problems: ['not-found'],
    live: true,
    handle: async ({ query }) => countJobs(db, await whoseOf(db, query)),
  }),

  endpoint({
    ...common,
    operationId: 'retryJobsOfTenants',
    summary: 'Retry the failed jobs of all tenants that a filter finds, after saying which these are',
    description: `Retries failed jobs of all tenants, or of one, by the filter of listJobsOfTenants, or cancelled ones, if Status says so. ${withTenants} ${changesInTurn}`,
    permission: 'Edit:PlatformJob',
    method: 'post',
    path: '/admin/v1/jobs/retry',
    query: changeQuery('retry', platformJobFilter),
    answers: { 200: ChangedJobs },
    problems: ['not-found'],
    handle: async request => changeMany(request, { db, jobs }, 'retry', await whoseOf(db, request.query)),
  }),

  endpoint({
    ...common,
    operationId: 'cancelJobsOfTenants',
    summary: 'Cancel or give up the jobs of all tenants that a filter finds, after saying which these are',
    description: `Cancels open jobs of all tenants, or of one, by the filter of listJobsOfTenants, or gives failed ones up, if Status says so. ${changesInTurn}`,
    permission: 'Edit:PlatformJob',
    method: 'post',
    path: '/admin/v1/jobs/cancel',
    query: changeQuery('cancel', platformJobFilter),
    answers: { 200: ChangedJobs },
    problems: ['not-found'],
    handle: async request => changeMany(request, { db, jobs }, 'cancel', await whoseOf(db, request.query)),
  }),
]
