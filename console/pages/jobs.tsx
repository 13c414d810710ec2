// Jobs, the newest first, by state, kind and time. The filter stands in the address.
import { useLocation } from 'preact-iso'
import type { paths } from '../../client/api.js'
import { api, type Job, type ListedJob, useReading } from '../api.js'
import { ChangeMany } from '../parts/change-many.js'
import { at, withQuery } from '../parts/links.js'
import { Ago, Nothing, ProblemBox, Progress, Status } from '../parts/shown.js'
import { isOfPlatform } from '../session.js'
import { count, duration, kindName, knownKinds, outcomeName } from '../words.js'

const statuses = ['Failed', 'Running', 'Accepted', 'Completed', 'Cancelled'] as const satisfies Job['status'][]
const pageSize = 50
/** In ms: soon while something is going on, and now and then otherwise. */
const rhythm = { open: 2_000, ended: 10_000 }
const isOpen = ({ status }: ListedJob) => status === 'Accepted' || status === 'Running'

export function JobsPage() {
  const { query, route } = useLocation()
  const { Tenant: tenant, From: from, After: after } = query
  const status = statuses.find(each => each === query.Status)
  const kind = knownKinds.find(each => each === query.Kind)
  const asked = {
    ...(status && { Status: [status] }),
    ...(kind && { Kind: [kind] }),
    ...(from && { AcceptedFrom: new Date(from).toISOString() }),
  }
  const { data, problem, again } = useReading(
    () => readJobs({ First: pageSize, ...asked, ...(after && { After: after }) }, tenant),
    [tenant, status, kind, from, after],
    page => (page?.Edges.some(({ Node }) => isOpen(Node)) ? rhythm.open : rhythm.ended),
  )
  const filter = (changed: Record<string, string | undefined>) =>
    withQuery('jobs', { Tenant: tenant, Status: status, Kind: kind, From: from, ...changed })
  return (
    <>
      <h1>{tenant ? `Jobs of ${tenant}` : 'Jobs'}</h1>
      <div class="filters">
        <nav aria-label="State">
          {[undefined, ...statuses].map(each => (
            <a
              key={each}
              class="choice"
              href={filter({ Status: each })}
              aria-current={status === each ? 'true' : undefined}
            >
              {each ?? 'All'}
            </a>
          ))}
        </nav>
        <label>
          Kind
          <select value={kind ?? ''} onChange={event => route(filter({ Kind: event.currentTarget.value }))}>
            <option value="">All kinds</option>
            {knownKinds.map(each => (
              <option key={each} value={each}>
                {kindName(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Since
          <input
            type="date"
            value={from ?? ''}
            onChange={event => route(filter({ From: event.currentTarget.value }))}
          />
        </label>
      </div>
      {problem && <ProblemBox problem={problem} />}
      {data && (
        <>
          <p class="count">{data.PageInfo.TotalCount === 1 ? 'One job' : `${count(data.PageInfo.TotalCount)} jobs`}</p>
          <ChangeMany key={JSON.stringify(asked)} asked={asked} tenant={tenant} again={again} />
          {data.Edges.length === 0 ? (
            <Nothing>No job is like that. Jobs are kept for some days after they have ended.</Nothing>
          ) : (
            <table class="list">
              <thead>
                <tr>
                  <th scope="col">State</th>
                  <th scope="col">Job</th>
                  <th scope="col">Progress</th>
                  <th scope="col">Accepted</th>
                  <th scope="col">Took</th>
                </tr>
              </thead>
              <tbody>
                {data.Edges.map(({ Node: job }) => (
                  <JobRow key={job.jobId} job={job} />
                ))}
              </tbody>
            </table>
          )}
          <nav class="pages" aria-label="Pages of the list">
            {after && <a href={filter({})}>Newest</a>}
            {data.PageInfo.HasNextPage && <a href={filter({ After: data.PageInfo.EndCursor })}>Older</a>}
          </nav>
        </>
      )}
    </>
  )
}

type Query = NonNullable<paths['/api/v1/jobs']['get']['parameters']['query']>

interface JobPage {
  PageInfo: { TotalCount: number; HasNextPage: boolean; EndCursor: string }
  Edges: { Node: ListedJob }[]
}

/** Reads a page of the jobs of the tenant, or of all tenants by whoever looks after these. */
async function readJobs(query: Query, tenant: string | undefined): Promise<{ data?: JobPage; error?: unknown }> {
  if (!isOfPlatform()) return api.GET('/api/v1/jobs', { params: { query } })
  return api.GET('/admin/v1/jobs', { params: { query: { ...query, ...(tenant && { Tenant: tenant }) } } })
}

const JobRow = ({ job }: { job: ListedJob }) => {
  const { title } = Object(job.problem) as { title?: string }
  return (
    <tr>
      <td data-name="State">
        <Status status={job.status} />
      </td>
      <td data-name="Job">
        {'tenant' in job ? (
          <a href={job.links.temporalUi}>{kindName(job.kind)}</a>
        ) : (
          <a href={at(`jobs/${job.jobId}`)}>{kindName(job.kind)}</a>
        )}
        <small>{job.waiting?.reason ?? title ?? `from ${job.actor}`}</small>
        {'tenant' in job && <small>{job.tenant}</small>}
      </td>
      <td data-name="Progress">{isOpen(job) ? <Progress {...job.progress} /> : <Counts counts={job.counts} />}</td>
      <td data-name="Accepted">
        <Ago time={job.acceptedAt} />
      </td>
      <td data-name="Took">
        {job.startedAt && job.finishedAt && duration(Date.parse(job.finishedAt) - Date.parse(job.startedAt))}
      </td>
    </tr>
  )
}

/** What became of a job's items, in words. */
const Counts = ({ counts }: Pick<Job, 'counts'>) => (
  <ul class="outcomes">
    {Object.entries(counts)
      .filter(([, n]) => n > 0)
      .map(([outcome, n]) => (
        <li key={outcome} class={outcome}>
          {count(n)} {outcomeName(outcome)}
        </li>
      ))}
  </ul>
)
