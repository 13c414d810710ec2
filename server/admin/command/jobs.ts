// The `jobs` command, which lists, retries and cancels jobs of all tenants.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Client, operations } from '../../../client/index.js'
import { cancellableStatuses, type JobStatus, jobStatuses, stoppedStatuses } from '../../../db/jobs/job-row.js'
import { type JobKind, jobKinds } from '../../../workflows/jobs/contracts.js'
import { countOf, type Output, outputOption, written } from './output.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

interface Filter<Status = JobStatus> {
  tenant?: string
  kind?: JobKind[]
  status?: Status[]
  from?: string
  to?: string
}

export function addJobs(program: Command, shell: Shell): void {
  const jobs = program.command('jobs').description('List, retry or cancel jobs of all tenants.')
  withFilter(jobs.command('list', { isDefault: true }).description('List them, the newest first.'), jobStatuses)
    .option('--limit <n>', 'how many at most', countOf, 20)
    .addOption(outputOption('table'))
    .action((options: ListOptions) => list(options, shell))
  const ask = 'do it, rather than say how many there are'
  withFilter(
    jobs.command('retry').description('Retry those that have failed, or were cancelled: --status Cancelled.'),
    stoppedStatuses,
  )
    .option('--yes', ask)
    .addOption(outputOption('table'))
    .action((options: ChangeOptions<'Failed' | 'Cancelled'>) =>
      change(options, 'retried', shell, (client, query) => client.post('/admin/v1/jobs/retry', { params: { query } })),
    )
  withFilter(
    jobs.command('cancel').description('Cancel those that have not ended, or give failed ones up.'),
    cancellableStatuses,
  )
    .option('--yes', ask)
    .addOption(outputOption('table'))
    .action((options: ChangeOptions<'Accepted' | 'Running' | 'Failed'>) =>
      change(options, 'cancelled', shell, (client, query) =>
        client.post('/admin/v1/jobs/cancel', { params: { query } }),
      ),
    )
}

/** Adds the options that say which jobs are meant. */
const withFilter = (command: Command, statuses: readonly JobStatus[]): Command =>
  command
    .option('--tenant <key>', 'only those of a tenant')
    .addOption(new Option('--kind <kind...>', 'only those of these kinds').choices(jobKinds))
    .addOption(new Option('--status <status...>', 'only those with these statuses').choices(statuses))
    .option('--from <time>', 'only those accepted since then', timeOf)
    .option('--to <time>', 'only those accepted before', timeOf)

/** Reads a time. A date is its midnight in UTC. */
function timeOf(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be a time such as 2026-11-28T06:00:00Z.')
  return time.toISOString()
}

const queryOf = <Status>({ tenant, kind, status, from, to }: Filter<Status>) => ({
  ...(tenant === undefined ? {} : { Tenant: tenant }),
  ...(kind ? { Kind: kind } : {}),
  ...(status ? { Status: status } : {}),
  ...(from === undefined ? {} : { AcceptedFrom: from }),
  ...(to === undefined ? {} : { AcceptedTo: to }),
})

interface ListOptions extends Filter {
  limit: number
  output: Output
}

/** The most jobs that a page of the API has. */
const mostPerPage = 1000

async function list({ limit, output, ...filter }: ListOptions, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const jobs: ListedJob[] = []
  for (let After: string | undefined; jobs.length < limit; ) {
    const First = Math.min(limit - jobs.length, mostPerPage)
    const query = { ...queryOf(filter), First, ...(After ? { After } : {}) }
    const { data } = await said(client.get('/admin/v1/jobs', { params: { query } }))
    jobs.push(...data.Edges.map(({ Node }) => Node))
    if (!data.PageInfo.HasNextPage) break
    After = data.PageInfo.EndCursor
  }
  console.log(written(output === 'table' ? jobs.map(inColumns) : jobs, output))
}

type AnswerOf<Name extends 'listJobsOfTenants' | 'retryJobsOfTenants'> =
  operations[Name]['responses'][200]['content']['application/json']
type ListedJob = AnswerOf<'listJobsOfTenants'>['Edges'][number]['Node']

/** Returns what a line about a job says. */
const inColumns = ({ tenant, jobId, kind, status, acceptedAt, progress, problem, waiting }: ListedJob) => ({
  ...{ tenant, jobId, kind, status, acceptedAt },
  progress: `${progress.done}/${progress.total}`,
  why: Object(problem).detail ?? waiting?.reason,
})

interface ChangeOptions<Status> extends Filter<Status> {
  yes?: boolean
  output: Output
}

/**
 * Says how many jobs there are, and with `--yes` changes these, some hundred with each call.
 * @param done what then has become of them.
 */
async function change<Status>(
  { yes, output, ...filter }: ChangeOptions<Status>,
  done: string,
  { env, console }: Shell,
  call: (
    client: Client,
    query: ReturnType<typeof queryOf<Status>> & { AsOf?: string; After?: string },
  ) => Promise<{ data: AnswerOf<'retryJobsOfTenants'> }>,
): Promise<void> {
  const { client, said } = connectPlatform(env)
  const query = queryOf(filter)
  const { data: plan } = await said(call(client, query))
  const isTable = output === 'table'
  if (isTable && plan.found === 0) return console.log('There are no such jobs.')
  if (isTable || !yes) console.log(written(isTable ? plan.kinds : plan, output))
  if (!yes) return console.error(`${counted(plan.found)} would be ${done}. Nothing was changed: add --yes.`)
  const outcomes = new Map<string, number>()
  for (let After: string | undefined, isMore = true; isMore; ) {
    const { data } = await said(call(client, { ...query, AsOf: plan.asOf, ...(After ? { After } : {}) }))
    for (const { outcome } of data.jobs) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    After = data.jobs.at(-1)?.jobId
    isMore = After !== undefined && data.left > 0
  }
  const counts = [...outcomes].map(([outcome, jobs]) => `${jobs} ${outcome}`).join(', ')
  console.log(isTable ? counts : written(Object.fromEntries(outcomes), output))
}

const counted = (jobs: number): string => (jobs === 1 ? '1 job' : `${jobs} jobs`)
