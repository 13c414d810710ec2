// Jobs, the newest first, by state, kind and time. The filter stands in the address.
import { useLocation } from 'preact-iso'
import type { paths } from '../../client/api.js'
import { api, isOpen, type Job, type ListedJob } from '../api.js'
import { ChangeMany } from '../parts/change-many.js'
import { Day } from '../parts/day.js'
import { at, withQuery } from '../parts/links.js'
import { List } from '../parts/list.js'
import { Actor, useNames } from '../parts/people-names.js'
import { Ago, Nothing, Pending, Progress, Status } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useLive, type Via } from '../reading.js'
import { isOfPlatform } from '../session.js'
import { count, kindName, knownKinds, moment, momentOf, tookOf, wordsOf } from '../words.js'

const statuses = ['Failed', 'Running', 'Accepted', 'Completed', 'Cancelled'] as const satisfies Job['status'][]
const pageSize = 50

export function JobsPage() {
  const { query, route } = useLocation()
  const { Tenant: tenant, After: after } = query
  const [from, to] = [query.From, query.To].map(time => (momentOf(time) ? time : undefined))
  const status = statuses.find(each => each === query.Status)
  const kind = knownKinds.find(each => each === query.Kind)
  const filter = { ...(kind && { Kind: [kind] }), ...timesOf(from, to) }
  const asked = { ...filter, ...(status && { Status: [status] }) }
  const { data, problem, again } = useLive(
    via => readJobs({ First: pageSize, ...asked, ...(after && { After: after }) }, tenant, via),
    [tenant, status, kind, from, to, after],
  )
  const nameOf = useNames(
    (data?.Edges ?? []).map(({ Node }) => Node.actor),
    tenant,
  )
  const addressOf = (changed: Record<string, string | undefined>) =>
    withQuery('jobs', { Tenant: tenant, Status: status, Kind: kind, From: from, To: to, ...changed })
  return (
    <>
      <Title name={tenant ? `Jobs of ${tenant}` : 'Jobs'} />
      <Day tenant={tenant} />
      <div class="filters">
        <nav aria-label="State">
          {[undefined, ...statuses].map(each => (
            <a
              key={each}
              class="choice"
              href={addressOf({ Status: each })}
              aria-current={status === each ? 'true' : undefined}
            >
              {each ?? 'All'}
            </a>
          ))}
        </nav>
        <label>
          Kind
          <select value={kind ?? ''} onChange={event => route(addressOf({ Kind: event.currentTarget.value }))}>
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
            value={from?.slice(0, 10) ?? ''}
            onChange={event => route(addressOf({ From: event.currentTarget.value, To: undefined }))}
          />
        </label>
        {from && (
          <a class="choice" href={addressOf({ From: undefined, To: undefined })}>
            {to ? `From ${moment(from)} to ${moment(to)}` : `Since ${moment(from)}`}
            <span aria-hidden="true"> ✕</span>
            <span class="unseen"> Show all times</span>
          </a>
        )}
      </div>
      <Pending data={data} problem={problem} />
      {data && (
        <>
          <ChangeMany
            key={`${tenant} ${JSON.stringify(asked)}`}
            status={status}
            filter={filter}
            tenant={tenant}
            again={again}
          />
          {data.Edges.length === 0 ? (
            <Nothing>No job is like that. Jobs are kept for some days after they have ended.</Nothing>
          ) : (
            <List
              page={data.PageInfo}
              counted={['One job', 'jobs']}
              columns={['State', 'Job', 'From', 'Progress', 'Accepted', 'Took']}
              ways={['Newest', 'Older']}
              addressOf={cursor => addressOf({ After: cursor })}
              isFirst={after === undefined}
            >
              {data.Edges.map(({ Node: job }) => (
                <JobRow key={job.jobId} job={job} nameOf={nameOf} />
              ))}
            </List>
          )}
        </>
      )}
    </>
  )
}

/** The filter for times of acceptance. */
function timesOf(from: string | undefined, to: string | undefined) {
  const [since, end] = [momentOf(from), momentOf(to)]
  return { ...(since && { AcceptedFrom: since.toISOString() }), ...(end && { AcceptedTo: end.toISOString() }) }
}

type Query = NonNullable<paths['/api/v1/jobs']['get']['parameters']['query']>

interface PageOfJobs {
  PageInfo: { TotalCount: number; HasNextPage: boolean; EndCursor: string }
  Edges: { Node: ListedJob }[]
}

/** Reads a page of the jobs of the tenant, or of all tenants by whoever looks after these. */
async function readJobs(
  query: Query,
  tenant: string | undefined,
  via: Via,
): Promise<{ data?: PageOfJobs; error?: unknown }> {
  if (!isOfPlatform) return api.GET('/api/v1/jobs', { params: { query }, ...via })
  return api.GET('/admin/v1/jobs', { params: { query: { ...query, ...(tenant && { Tenant: tenant }) } }, ...via })
}

const JobRow = ({ job, nameOf }: { job: ListedJob; nameOf: ReturnType<typeof useNames> }) => {
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
        {(job.waiting ?? title) && <small>{job.waiting?.reason ?? title}</small>}
        {'tenant' in job && <small>{job.tenant}</small>}
      </td>
      <td data-name="From">
        <Actor actor={job.actor} nameOf={nameOf} />
      </td>
      <td data-name="Progress">{isOpen(job) ? <Progress {...job.progress} /> : <Counts counts={job.counts} />}</td>
      <td data-name="Accepted">
        <Ago time={job.acceptedAt} />
      </td>
      <td data-name="Took">{tookOf(job)}</td>
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
          {count(n)} {wordsOf(outcome)}
        </li>
      ))}
  </ul>
)
