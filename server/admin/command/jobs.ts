// The `jobs` command, which lists jobs of all tenants.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { operations } from '../../../client/index.js'
import { jobStatuses } from '../../../db/jobs/jobs.js'
import { jobKinds } from '../../../workflows/jobs/contracts.js'
import { type Output, outputOption, written } from './output.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

type Query = NonNullable<operations['listJobsOfTenants']['parameters']['query']>

interface Filter {
  tenant?: string
  kind?: Query['Kind']
  status?: Query['Status']
  from?: string
  to?: string
}

interface Options extends Filter {
  limit: number
  output: Output
}

export function addJobs(program: Command, shell: Shell): void {
  const jobs = program.command('jobs').description('List jobs of all tenants.')
  withFilter(jobs.command('list', { isDefault: true }).description('List them, the newest first.'))
    .option('--limit <n>', 'how many at most', countOf, 20)
    .addOption(outputOption('table'))
    .action((options: Options) => list(options, shell))
}

/** Adds the options that say which jobs are meant. */
const withFilter = (command: Command): Command =>
  command
    .option('--tenant <key>', 'only those of a tenant')
    .addOption(new Option('--kind <kind...>', 'only those of these kinds').choices(jobKinds))
    .addOption(new Option('--status <status...>', 'only those with these statuses').choices(jobStatuses))
    .option('--from <time>', 'only those accepted since then', timeOf)
    .option('--to <time>', 'only those accepted before', timeOf)

/** Reads a time. A date is its midnight in UTC. */
function timeOf(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be a time such as 2026-11-28T06:00:00Z.')
  return time.toISOString()
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 on.')
  return Number(text)
}

const queryOf = ({ tenant, kind, status, from, to }: Filter): Query => ({
  ...(tenant === undefined ? {} : { Tenant: tenant }),
  ...(kind ? { Kind: kind } : {}),
  ...(status ? { Status: status } : {}),
  ...(from === undefined ? {} : { AcceptedFrom: from }),
  ...(to === undefined ? {} : { AcceptedTo: to }),
})

/** The most jobs that a page of the API has. */
const mostPerPage = 1000

async function list({ limit, output, ...filter }: Options, { env, console }: Shell): Promise<void> {
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

type ListedJob =
  operations['listJobsOfTenants']['responses'][200]['content']['application/json']['Edges'][number]['Node']

/** Returns what a line about a job says. */
const inColumns = ({ tenant, jobId, kind, status, acceptedAt, progress, problem, waiting }: ListedJob) => ({
  ...{ tenant, jobId, kind, status, acceptedAt },
  progress: `${progress.done}/${progress.total}`,
  why: Object(problem).detail ?? waiting?.reason,
})
