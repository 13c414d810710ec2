// The `erasures` command, which lists who was erased, and erases them again after a backup was restored.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { ApiProblem, type Job, JobFailed } from '../../../client/index.js'
import { CommandFailed } from './command-failed.js'
import { connectApi } from './platform-client.js'
import type { Shell } from './shell.js'

export const erasuresUsage = `  armature erasures list --since <date> [--tenant <key>]
                                   Print the ids of the subjects erased since a date, at most 30 days ago, one a line. Keep
                                   them outside the database. The client needs FrameApi and List:Subject.
  armature erasures replay <file> [--tenant <key>]
                                   After a restore: erase those of the list that exist again, and wait for it. May be repeated. The client
                                   needs FrameApi and Delete:Subject.`

const wrongUse = () => new CommandFailed(['Usage:', erasuresUsage], 2)
/** After how many ids the command says how far it is. */
const progressEvery = 100

/** Runs `armature erasures`. @throws CommandFailed if it is used wrongly, or the API refuses. */
export async function erasures(args: string[], shell: Shell): Promise<void> {
  const { values, positionals } = argumentsOf(args)
  const [action, file, ...others] = positionals
  const { since, tenant } = values
  if (action === 'list' && since !== undefined && file === undefined) return list(new Date(since), tenant, shell)
  if (action === 'replay' && file !== undefined && since === undefined && others.length === 0)
    return replay(file, tenant, shell)
  throw wrongUse()
}

function argumentsOf(args: string[]) {
  try {
    const options = { since: { type: 'string' }, tenant: { type: 'string' } } as const
    return parseArgs({ args, options, allowPositionals: true })
  } catch {
    throw wrongUse()
  }
}

async function list(since: Date, tenantKey: string | undefined, { env, console }: Shell): Promise<void> {
  if (Number.isNaN(since.getTime())) throw new CommandFailed(['--since must be a date such as 2026-11-01.'], 2)
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
