// The `import` command, which loads people or structural entities from a file, shows a progress bar and saves refused
// rows to a file.
import { createReadStream, createWriteStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { type Command, Option } from 'commander'
import { type Client, type Job, JobFailed, type operations } from '../../../client/index.js'
import { CommandFailed } from './command-failed.js'
import { connectApi } from './platform-client.js'
import { progressBar } from './progress.js'
import type { Shell } from './shell.js'

interface Options {
  entities?: boolean
  tenant?: string
  map?: string[]
  mapKey?: string
  separator?: 'comma' | 'semicolon' | 'tab'
  charset?: 'windows-1252' | 'utf-16'
  mode?: 'each' | 'all'
  absent?: 'leave' | 'unassign'
  absentAtMost?: string
  below?: string
  dryRun?: boolean
  rejects?: string
}

export function addImport(program: Command, shell: Shell): void {
  const choice = (flags: string, text: string, choices: string[]) => new Option(flags, text).choices(choices)
  program
    .command('import')
    .summary('Create or update people or structural entities from a file.')
    .description(
      'Create or update people from a file, and wait for the end. Refused rows go to <name>.rejects.csv with what is wrong; corrected, ' +
        'they can be imported as they are. The client needs the scope FrameApi.',
    )
    .argument('<file>', 'a .csv or .ndjson, also .gz')
    .option('--entities', 'the rows are structural entities, in any order')
    .option('--tenant <key>', 'the tenant')
    .option(
      '--map <Column:FieldKey>',
      'which column has which field; may be repeated',
      (one, others: string[] = []) => [...others, one],
    )
    .option('--map-key <key>', 'a map of columns in the manifest')
    .addOption(choice('--separator <name>', 'what separates cells', ['comma', 'semicolon', 'tab']))
    .addOption(choice('--charset <name>', 'the charset, if it is not UTF-8', ['windows-1252', 'utf-16']))
    .addOption(choice('--mode <name>', 'all: write nothing if a row is refused', ['each', 'all']))
    .addOption(choice('--absent <name>', 'what happens to people whom the file lacks', ['leave', 'unassign']))
    .option('--absent-at-most <n or n%>', 'how many may be absent')
    .option('--below <entity>', 'limits --absent to a region')
    .option('--dry-run', 'write nothing')
    .option('--rejects <file>', 'where refused rows go')
    .action((file: string, options: Options) => importFile(file, options, shell))
}

/** How long to wait for an API that is unavailable, in ms. The import itself goes on meanwhile. */
const retryTimeoutMs = 60_000

/**
 * Imports a file and waits for the end of its job.
 * @throws CommandFailed if it is used wrongly, if the import is refused or fails, or if rows are refused.
 */
async function importFile(file: string, options: Options, shell: Shell): Promise<void> {
  const named = /^(.+)\.(csv|ndjson)(\.gz)?$/.exec(file)
  if (!named) throw new CommandFailed([`${file} must end with .csv or .ndjson, or one of these and .gz.`], 2)
  const [, stem, format, gz] = named
  await access(file).catch((error: Error) => {
    throw new CommandFailed([`${file} cannot be read: ${error.message}`])
  })
  const { client, said } = connectApi(shell.env, { scope: 'FrameApi', tenantKey: options.tenant, retryTimeoutMs })
  const headers = {
    'content-type': format === 'csv' ? 'text/csv' : 'application/x-ndjson',
    ...(gz ? { 'content-encoding': 'gzip' } : {}),
  }
  const body = () => Readable.toWeb(createReadStream(file)) as ReadableStream
  const { Absent, AbsentAtMost, Below, ...query } = queryOf(options)
  const absence = { ...(Absent && { Absent }), ...(AbsentAtMost && { AbsentAtMost }), ...(Below && { Below }) }
  if (options.entities && Object.keys(absence).length > 0)
    throw new CommandFailed(['--absent, --absent-at-most and --below are for people, not for entities.'], 2)
  const accepted = options.entities
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
  shell.console.log(`${options.dryRun ? 'Dry run: ' : ''}${told.join(', ') || 'no rows'}`)
  const failed = status === 'Completed' ? [] : [`The import is ${status.toLowerCase()}: ${detailOf(problem)}`]
  const refused = counts.refused ?? 0
  if (refused > 0) {
    const to = options.rejects ?? `${stem}.rejects.${format}`
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

type Query = NonNullable<operations['importSubjects']['parameters']['query']>

const queryOf = (options: Options): Query => ({
  ...(options.separator && { Separator: options.separator }),
  ...(options.charset && { Charset: options.charset }),
  ...(options.mode && { Mode: options.mode }),
  ...(options.absent && { Absent: options.absent }),
  ...(options.absentAtMost && { AbsentAtMost: options.absentAtMost }),
  ...(options.below && { Below: options.below }),
  ...(options.map && { Map: options.map }),
  ...(options.mapKey && { MapKey: options.mapKey }),
  ...(options.dryRun && { DryRun: options.dryRun }),
})

/** The longest time between two requests for the job, in ms. */
const pollMs = 500

/** Waits until a job has ended in any status, and shows a progress bar meanwhile. */
async function waitForEnd(client: Client, accepted: Job, shell: Shell): Promise<Job> {
  const bar = progressBar(shell, '{bar} {percentage}%  {value}/{total} rows  {pace}')
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
