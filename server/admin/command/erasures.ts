// The `erasures` command, which lists who was erased, and erases them again after a backup was restored.
import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { ApiProblem, type Job, JobFailed } from '../../../client/index.js'
import { changesKeptMs } from '../../../db/feeds.js'
import { CommandFailed } from './command-failed.js'
import { connectApi } from './platform-client.js'
import type { Shell } from './shell.js'

/** After how many ids the command says how far it is. */
const progressEvery = 100

interface Options {
  tenant?: string
}

export function addErasures(program: Command, shell: Shell): void {
  const erasures = program
    .command('erasures')
    .description('List who was erased, and erase them again after a backup was restored.')
  erasures
    .command('list')
    .description(
      'Print the ids of erased subjects, one a line. Keep them outside the database. The client needs FrameApi and List:Subject.',
    )
    .requiredOption('--since <date>', 'those erased since then, at most 30 days ago', dateOf)
    .option('--tenant <key>', 'their tenant')
    .action(({ since, tenant }: Options & { since: Date }) => list(since, tenant, shell))
  erasures
    .command('replay')
    .description(
      'After a restore: erase those of the list that exist again, and wait for it. May be repeated. The client needs FrameApi and Delete:Subject.',
    )
    .argument('<file>', 'the list')
    .option('--tenant <key>', 'their tenant')
    .action((file: string, { tenant }: Options) => replay(file, tenant, shell))
}

function dateOf(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('It must be a date such as 2026-11-01.')
  return date
}

/** @throws CommandFailed for a date before the oldest change that is kept. */
async function list(since: Date, tenantKey: string | undefined, { env, console }: Shell): Promise<void> {
  const oldest = new Date(Date.now() - changesKeptMs)
  if (since < oldest)
    throw new CommandFailed([
      `Erasures are listed for ${changesKeptMs / 86_400_000} days, and --since is earlier. Ask from ${oldest.toISOString()} on, and take those before from lists that were kept.`,
    ])
  const { client, said } = connectApi(env, { scope: 'FrameApi', tenantKey })
  for (let After: string | null | undefined; ; ) {
    const query = { First: 1000, ...(After ? { After } : {}) }
    const { data } = await said(client.get('/api/v2/subject/changes', { params: { query } }))
    for (const { Node } of data.Edges) {
      if (Node.Change === 'erased' && new Date(Node.ChangedAt) >= since) console.log(Node.SubjectId)
    }
    if (!data.PageInfo.HasNextPage) return
    After = data.PageInfo.EndCursor
  }
}

async function replay(file: string, tenantKey: string | undefined, { env, console }: Shell): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandFailed([`${file} cannot be read: ${error.message}`])
  })
  const ids = [...new Set(text.split(/\s+/).filter(Boolean))]
  const { client, said } = connectApi(env, { scope: 'FrameApi', tenantKey })
  const started: Job[] = []
  const found = { erased: 0, unknown: 0 }
  for (const [n, subjectId] of ids.entries()) {
    const call = client.post('/api/v2/subject/{subjectId}/erase', { params: { path: { subjectId } } })
    const begun = await said(call.then(({ data }) => data, notThere))
    if (typeof begun === 'string') found[begun]++
    else started.push(begun)
    if ((n + 1) % progressEvery === 0) console.log(`${n + 1} of ${ids.length} ids sent`)
  }
  // Waits, because a subject counts as erased from then on, so that a repeated replay finds nothing more to do.
  for (const [n, job] of started.entries()) {
    await said(client.waitForJob(job).catch(notEnded))
    if ((n + 1) % progressEvery === 0) console.log(`${n + 1} of ${started.length} erased`)
  }
  console.log(
    `${started.length} erased again, ${found.erased} erased already, ${found.unknown} unknown to this database.`,
  )
}

/** @throws CommandFailed if the erasure has failed or was cancelled, otherwise the error itself. */
function notEnded(error: unknown): never {
  if (!(error instanceof JobFailed)) throw error
  throw new CommandFailed([
    `An erasure did not complete: ${error.message}`,
    'Fix the cause, and replay the list again.',
  ])
}

/** Tells why there is nothing to erase. @throws any other failure. */
function notThere(error: unknown): 'erased' | 'unknown' {
  if (error instanceof ApiProblem && error.status === 410) return 'erased'
  if (error instanceof ApiProblem && error.status === 404) return 'unknown'
  throw error
}
