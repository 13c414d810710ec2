// The `import` command: loads people or structural entities from a file, with a progress bar and a file of refused rows.
import { createReadStream, createWriteStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SingleBar } from 'cli-progress'
import type { Static } from 'typebox'
import type { Job } from '../../jobs/present.js'
import { CommandFailed } from './command-failed.js'
import { type ApiClient, connectApi } from './platform-client.js'
import type { Shell } from './shell.js'

export const importUsage = `  armature import <file> [--entities] [--tenant <key>] [--map <Column:FieldKey>]... [--map-key <key>] [--separator semicolon|tab]
                  [--mode all] [--absent unassign] [--dry-run] [--rejects <file>]
                                   Create or update people from a .csv or .ndjson, also .gz, and wait for the end. Refused rows
                                   go to <file>.rejects with what is wrong; corrected, they can be imported as they are. With
                                   --entities the rows are structural entities, in any order. The client needs the scope
                                   FrameApi.`

const options = {
  entities: { type: 'boolean' },
  tenant: { type: 'string' },
  map: { type: 'string', multiple: true },
  'map-key': { type: 'string' },
  separator: { type: 'string' },
  mode: { type: 'string' },
  absent: { type: 'string' },
  'dry-run': { type: 'boolean' },
  rejects: { type: 'string' },
} as const

type JobBody = Static<typeof Job>

/**
 * Imports a file and waits for the end of its job.
 * @throws CommandFailed where it is used wrongly, refused or failed, and where rows are refused.
 */
export async function importFile(args: string[], shell: Shell): Promise<void> {
  const { values, positionals } = argumentsOf(args)
  const [file = '', ...others] = positionals
  const named = /^(.+)\.(csv|ndjson)(\.gz)?$/.exec(file)
  if (!named || others.length > 0) throw new CommandFailed(['Usage:', importUsage], 2)
  const [, stem, format, gz] = named
  await access(file).catch((error: Error) => {
    throw new CommandFailed([`${file} cannot be read: ${error.message}`])
  })
  const client = await connectApi(shell.env, { scope: 'FrameApi', tenantKey: values.tenant })
  const headers = {
    'content-type': format === 'csv' ? 'text/csv' : 'application/x-ndjson',
    ...(gz ? { 'content-encoding': 'gzip' } : {}),
  }
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream
  const path = values.entities ? '/api/v1/structuralEntity/import' : '/api/v2/subject/import'
  const job: JobBody = await client.send('POST', `${path}${queryOf(values)}`, { headers, body })
  const { status, counts, problem } = await ended(client, job, shell)
  const told = Object.entries(counts).map(([outcome, rows]) => `${rows.toLocaleString('en')} ${outcome}`)
  shell.console.log(`${values['dry-run'] ? 'Dry run: ' : ''}${told.join(', ') || 'no rows'}`)
  const failed = status === 'Completed' ? [] : [`The import is ${status.toLowerCase()}: ${detailOf(problem)}`]
  const refused = counts.refused ?? 0
  if (refused > 0) {
    const to = values.rejects ?? `${stem}.rejects.${format}`
    await pipeline(await client.download(job.links.rejects ?? ''), createWriteStream(to))
    failed.push(`Refused rows: ${refused.toLocaleString('en')}. ${to} has them, each with its reason.`)
  }
  if (failed.length > 0) throw new CommandFailed(failed)
}

function argumentsOf(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new CommandFailed([error instanceof Error ? error.message : String(error), '', 'Usage:', importUsage], 2)
  }
}

function queryOf(values: ReturnType<typeof argumentsOf>['values']): string {
  const query = new URLSearchParams((values.map ?? []).map((map): [string, string] => ['Map', map]))
  const others = { Separator: values.separator, Mode: values.mode, Absent: values.absent, MapKey: values['map-key'] }
  for (const [name, value] of Object.entries(others)) if (value !== undefined) query.set(name, value)
  if (values['dry-run']) query.set('DryRun', 'true')
  return query.size > 0 ? `?${query}` : ''
}

/** Between two looks at the job, in ms. */
const lookMs = 500

async function ended(client: ApiClient, accepted: JobBody, { bar: stream }: Shell): Promise<JobBody> {
  const format = '{bar} {percentage}%  {value}/{total} rows  {pace}'
  const bar = stream && new SingleBar({ format, stream, gracefulExit: false, noTTYOutput: true, notTTYSchedule: 5_000 })
  bar?.start(accepted.progress.total, 0, { pace: '' })
  try {
    for (;;) {
      const job: JobBody = await client.send('GET', accepted.links.self)
      const { done, total, perSecond, secondsLeft } = job.progress
      bar?.setTotal(total)
      bar?.update(done, { pace: perSecond === undefined ? '' : `${perSecond}/s, ${secondsLeft} s left` })
      if (!['Accepted', 'Running'].includes(job.status)) return job
      await sleep(lookMs)
    }
  } finally {
    bar?.stop()
  }
}

const detailOf = (problem: unknown): string => String(Object(problem).detail ?? 'it was cancelled.')
