// The `import` command, which loads people or structural entities from a file, shows a progress bar and saves refused
// rows to a file.
import { createReadStream, createWriteStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { parseArgs } from 'node:util'
import { SingleBar } from 'cli-progress'
import { type Client, type Job, JobFailed, type operations } from '../../../client/index.js'
import { CommandFailed } from './command-failed.js'
import { connectApi } from './platform-client.js'
import type { Shell } from './shell.js'

export const importUsage = `  armature import <file> [--entities] [--tenant <key>] [--map <Column:FieldKey>]... [--map-key <key>] [--separator semicolon|tab]
                  [--charset windows-1252|utf-16]
                  [--mode all] [--absent unassign [--absent-at-most <n or n%>] [--below <entity>]] [--dry-run]
                  [--rejects <file>]
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
  charset: { type: 'string' },
  mode: { type: 'string' },
  absent: { type: 'string' },
  'absent-at-most': { type: 'string' },
  below: { type: 'string' },
  'dry-run': { type: 'boolean' },
  rejects: { type: 'string' },
} as const

/** How long to wait for an API that is unavailable, in ms. The import itself goes on meanwhile. */
const retryTimeoutMs = 60_000

/**
 * Imports a file and waits for the end of its job.
 * @throws CommandFailed if it is used wrongly, if the import is refused or fails, or if rows are refused.
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
  const { client, said } = connectApi(shell.env, { scope: 'FrameApi', tenantKey: values.tenant, retryTimeoutMs })
  const headers = {
    'content-type': format === 'csv' ? 'text/csv' : 'application/x-ndjson',
    ...(gz ? { 'content-encoding': 'gzip' } : {}),
  }
  const body = () => Readable.toWeb(createReadStream(file)) as ReadableStream
  const { Absent, AbsentAtMost, Below, ...query } = queryOf(values)
  const absence = { ...(Absent && { Absent }), ...(AbsentAtMost && { AbsentAtMost }), ...(Below && { Below }) }
  if (values.entities && Object.keys(absence).length > 0)
    throw new CommandFailed(['--absent, --absent-at-most and --below are for people, not for entities.'], 2)
  const accepted = values.entities
    ? await said(client.post('/api/v1/structuralEntity/import', { params: { query }, headers, body }))
    : await said(
        client.post('/api/v2/subject/import', {
          params: { query: { ...query, ...absence } },
          headers,
          body,
        }),
      )
  const { jobId, status, counts, problem } = await said(waitForEnd(client, accepted.data, shell))
  const told = Object.entries(counts).map(([outcome, rows]) => `${rows.toLocaleString('en')} ${outcome}`)
  shell.console.log(`${values['dry-run'] ? 'Dry run: ' : ''}${told.join(', ') || 'no rows'}`)
  const failed = status === 'Completed' ? [] : [`The import is ${status.toLowerCase()}: ${detailOf(problem)}`]
  const refused = counts.refused ?? 0
  if (refused > 0) {
    const to = values.rejects ?? `${stem}.rejects.${format}`
    const rejects = {
      params: { path: { jobId } },
      headers: { accept: headers['content-type'] },
      parseAs: 'stream',
    } as const
    const { data } = await said(client.get('/api/v1/jobs/{jobId}/rejects', rejects))
    if (data) await pipeline(Readable.fromWeb(data as WebStream), createWriteStream(to))
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

type Query = NonNullable<operations['importSubjects']['parameters']['query']>

function queryOf(values: ReturnType<typeof argumentsOf>['values']): Query {
  const { map, 'map-key': MapKey, 'dry-run': DryRun, 'absent-at-most': AbsentAtMost, below: Below } = values
  const Separator = oneOf('separator', values.separator, ['comma', 'semicolon', 'tab'])
  const Charset = oneOf('charset', values.charset, ['windows-1252', 'utf-16'])
  const Mode = oneOf('mode', values.mode, ['all', 'each'])
  const Absent = oneOf('absent', values.absent, ['leave', 'unassign'])
  return {
    ...(Separator && { Separator }),
    ...(Charset && { Charset }),
    ...(Mode && { Mode }),
    ...(Absent && { Absent }),
    ...(AbsentAtMost && { AbsentAtMost }),
    ...(Below && { Below }),
    ...(map && { Map: map }),
    ...(MapKey && { MapKey }),
    ...(DryRun && { DryRun }),
  }
}

/**
 * Checks that an option has one of its values.
 * @throws CommandFailed
 */
function oneOf<Value extends string>(option: string, value: string | undefined, values: readonly Value[]) {
  const found = values.find(allowed => allowed === value)
  if (value !== undefined && found === undefined)
    throw new CommandFailed([`--${option} must be ${values.join(' or ')}, not '${value}'.`], 2)
  return found
}

/** The longest time between two requests for the job, in ms. */
const pollMs = 500

/** Waits until a job has ended in any status, and shows a progress bar meanwhile. */
async function waitForEnd(client: Client, accepted: Job, { bar: stream }: Shell): Promise<Job> {
  const format = '{bar} {percentage}%  {value}/{total} rows  {pace}'
  const bar = stream && new SingleBar({ format, stream, gracefulExit: false, noTTYOutput: true, notTTYSchedule: 5_000 })
  bar?.start(accepted.progress.total, 0, { pace: '' })
  const onProgress = ({ progress: { done, total, perSecond, secondsLeft } }: Job) => {
    bar?.setTotal(total)
    bar?.update(done, { pace: perSecond === undefined ? '' : `${perSecond}/s, ${secondsLeft} s left` })
  }
  try {
    return await client.waitForJob(accepted, { onProgress, pollMs })
  } catch (error) {
    if (error instanceof JobFailed) return error.job
    throw error
  } finally {
    bar?.stop()
  }
}

const detailOf = (problem: unknown): string => String(Object(problem).detail ?? 'it was cancelled.')
