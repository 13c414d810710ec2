// The commands `backup` and `restore`, which save the database of an installation to a file and bring it back.
import { createReadStream, createWriteStream } from 'node:fs'
import { access, rename, rm, stat } from 'node:fs/promises'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Command } from 'commander'
import type { Knex } from 'knex'
import { databaseCondition, dropTables, missingSteps, unknownSteps } from '../../../db/condition.js'
import { liveBuilds } from '../../../db/jobs/workers.js'
import { version } from '../../../runtime/process/version.js'
import type { Config } from '../../../runtime/settings/config.js'
import { type BackupDescription, firstLine, readBackup } from './backup-file.js'
import { CommandFailed } from './command-failed.js'
import { findClient, startClient, startDump } from './database-programs.js'
import { withDatabase } from './own-database.js'
import { progressBar } from './progress.js'
import type { Shell } from './shell.js'

export function addBackup(program: Command, shell: Shell): void {
  program
    .command('backup')
    .description(
      'Save the database to a file, while the installation goes on. Needs the settings of its processes, such as DATABASE_URL.',
    )
    .argument('<file>', 'a file that does not exist yet, such as armature-2026-11-29.sql.gz')
    .option(
      '--position',
      'note the position in the binary log, from which later changes can be applied after a restore',
    )
    .action((file: string, { position = false }: { position?: boolean }) =>
      withDatabase(shell.env, (db, config) => backup(file, { db, config, shell, position })),
    )
  program
    .command('restore')
    .description('Bring the database back from a file that backup has made. Stop the API and the workers first.')
    .argument('<file>', 'the file')
    .option('--over <database>', 'the name of the database: replace all that is in it')
    .action((file: string, { over }: { over?: string }) =>
      withDatabase(shell.env, (db, config) => restore(file, over, { db, config, shell })),
    )
}

interface Context {
  db: Knex
  config: Config
  shell: Shell
}

async function backup(file: string, { db, config, shell, position }: Context & { position: boolean }): Promise<void> {
  const began = performance.now()
  if (await exists(file)) throw new CommandFailed([`${file} exists. Name another file, or remove it first.`])
  const { isMariaDb, ...found } = await databaseCondition(db)
  if ((await missingSteps(db)) > 0)
    throw new CommandFailed([
      `The database does not have the schema of version ${version}. Use the program of its own version.`,
    ])
  const server = { isMariaDb, databaseUrl: config.databaseUrl }
  const { output, ended, stop } = await startDump(server, shell.env, position)
  // It gets its name when it is whole.
  const part = `${file}.part`
  const head = firstLine({ ...found, version, takenAt: new Date().toISOString() })
  const progress = meter(shell, found.bytes)
  try {
    const written = createWriteStream(part, { mode: 0o600, flush: true })
    await pipeline(after(head, output), progress.through, createGzip({ level: 1 }), written)
    await ended
    await readBackup(part)
    await rename(part, file)
  } catch (error) {
    stop()
    await rm(part, { force: true })
    throw error
  } finally {
    progress.end()
  }
  const { size } = await stat(file)
  shell.console.log(`${file}: ${megabytes(size)}, ${megabytes(progress.bytes())} of SQL, in ${secondsSince(began)} s.`)
  const others = config.recordStorage === 's3' ? ', and the bucket of documents' : ''
  shell.console.log(
    `Keep ENCRYPTION_KEY${others} as well, in other places. Temporal need not be saved: see docs/backup.md.`,
  )
}

async function restore(file: string, over: string | undefined, { db, config, shell }: Context): Promise<void> {
  const began = performance.now()
  const description = await readBackup(file)
  requireKnown(description)
  const { isMariaDb, tables } = await databaseCondition(db)
  const database = decodeURIComponent(new URL(config.databaseUrl).pathname.slice(1))
  if (tables > 0 && over !== database)
    throw new CommandFailed([
      `The database '${database}' has ${tables} tables. To replace all that is in it: --over ${database}`,
    ])
  if (tables > 0 && (await isInUse(db)))
    throw new CommandFailed(['The API or workers use the database, or did so within the last 10 s. Stop them first.'])
  const server = { isMariaDb, databaseUrl: config.databaseUrl }
  const client = await findClient(server, shell.env)
  await dropTables(db)
  const { input, ended } = startClient(client, server, shell.env)
  const { size } = await stat(file)
  const progress = meter(shell, size)
  try {
    await pipeline(createReadStream(file), progress.through, createGunzip(), input)
    await ended
  } catch (error) {
    // If the program has failed, its own words say more than the broken pipe.
    await ended
    throw error
  } finally {
    progress.end()
  }
  const { takenAt, version: its } = description
  shell.console.log(`${file}, taken at ${takenAt} by version ${its}, is restored in ${secondsSince(began)} s.`)
  const missing = await missingSteps(db)
  const migrate =
    missing === 0 ? '' : `Run node dist/db/migrate.js: ${missing} steps of version ${version} are missing. Then `
  shell.console.log(
    `${migrate || 'Now '}start the API and the workers, with the ENCRYPTION_KEY of then. Jobs that were open go on by themselves; before anybody is let in, erase again who was erased since: armature erasures replay.`,
  )
}

/** @throws CommandFailed if a backup has steps of the schema that this program does not know. */
function requireKnown({ version: its, steps }: BackupDescription): void {
  const [unknown] = unknownSteps(steps)
  if (unknown === undefined) return
  throw new CommandFailed([
    `The backup was made by version ${its}, whose schema is newer than that of this program, ${version} (${unknown}). Use the program of that version.`,
  ])
}

/** Tells whether a process has worked with the database within the last seconds. The tables may be those of something else. */
const isInUse = async (db: Knex): Promise<boolean> =>
  (await db.schema.hasTable('worker_heartbeats')) && (await liveBuilds(db)).length > 0

/** Yields a text before the output of a program. */
async function* after(head: string, output: Readable): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  yield* output
}

/** Counts bytes that pass through, and shows how many these are of an expected number. */
function meter(shell: Shell, expected: number) {
  let bytes = 0
  const bar = progressBar(shell, '{bar} {percentage}%  {done} of {all}')
  const all = megabytes(expected)
  bar?.start(expected, 0, { done: megabytes(0), all })
  const through = new Transform({
    transform(block: Buffer, _, done) {
      bytes += block.length
      // The size of tables is an estimate, which a dump may exceed.
      bar?.update(Math.min(bytes, expected), { done: megabytes(bytes) })
      done(null, block)
    },
  })
  return { through, bytes: () => bytes, end: () => bar?.stop() }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const secondsSince = (began: number): string => ((performance.now() - began) / 1_000).toFixed(1)
