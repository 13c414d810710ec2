// Backs up the databases of the platform and of Temporal, and restores the platform's to any moment.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import { armature } from '../../server/admin/command/command.js'
import { type DatabaseServer, isMysql, runSql } from './database-servers.js'
import { signal } from './faults.js'
import type { Stack } from './stack.js'

/** A position in the database's binary log. */
export interface Position {
  file: string
  at: number
}

/** Returns the current position in the binary log. */
export async function positionNow({ login }: DatabaseServer): Promise<Position> {
  const [file = '', at] = await runSql(login, isMysql ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS')
  return { file, at: Number(at) }
}

// The password goes into the environment, because everybody on the machine can read a process's arguments.
const passwordOf = ({ url }: DatabaseServer) => ({
  ...process.env,
  MYSQL_PWD: decodeURIComponent(new URL(url).password),
})

/** Runs `armature backup` or `restore`. @throws Error with what it has said, unless it succeeds. */
async function run({ url, path }: DatabaseServer, args: string[], settings: NodeJS.ProcessEnv): Promise<void> {
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const env = { ...settings, PATH: path, DATABASE_URL: url }
  if ((await armature(args, { env, console: { log, error: log } })) !== 0) throw new Error(lines.join('\n'))
}

/**
 * Backs the database up, while it is written to.
 * @param settings of the processes. @returns the position in the log at that moment.
 */
export async function backUp(server: DatabaseServer, file: string, settings: NodeJS.ProcessEnv): Promise<Position> {
  const { username } = new URL(server.url)
  const allowed = isMysql ? 'RELOAD, REPLICATION CLIENT' : 'RELOAD, BINLOG MONITOR'
  const [host = ''] = await runSql(server.login, `SELECT host FROM mysql.user WHERE user = '${username}'`)
  await runSql(server.login, `GRANT ${allowed} ON *.* TO '${username}'@'${host}'`)
  await run(server, ['backup', file, '--position'], settings)
  const head = gunzipSync(await readFile(file))
    .subarray(0, 20_000)
    .toString('latin1')
  const [, name, at] = /_LOG_FILE='([^']+)', (?:MASTER|SOURCE)_LOG_POS=(\d+)/.exec(head) ?? []
  if (name === undefined) throw new Error('The backup does not name its position')
  return { file: name, at: Number(at) }
}

/** Restores a backup and the changes after it to an empty server. @param from.end last position to restore, by default all. */
export async function restore(
  server: DatabaseServer,
  from: { backup: string; log: string; start: Position; end: Position | undefined },
  settings: NodeJS.ProcessEnv,
): Promise<void> {
  await run(server, ['restore', from.backup], settings)
  if (from.end && from.end.file !== from.start.file) throw new Error(`The log went on in ${from.end.file}`)
  const range = [`--start-position=${from.start.at}`, ...(from.end ? [`--stop-position=${from.end.at}`] : [])]
  const [command, ...options] = server.programs.log
  await copyFile(from.log, join(server.dataFiles, 'lost'))
  const lost = join(server.dataFilesSeen, 'lost')
  const reading = spawn(command, [...options, ...range, lost], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [client, ...login] = server.programs.client
  const replayed = spawn(client, login, { env: passwordOf(server), stdio: ['pipe', 'inherit', 'inherit'] })
  await Promise.all([pipeline(reading.stdout, replayed.stdin), succeeded(reading), succeeded(replayed)])
}

async function succeeded(program: ReturnType<typeof spawn>): Promise<void> {
  const [code] = await once(program, 'exit')
  if (code !== 0) throw new Error(`${program.spawnargs.join(' ')} ended with ${code}`)
}

/** Copies Temporal's data. The server is paused meanwhile, so that the copy is consistent like a snapshot of a disk. */
export function copyTemporal({ dataDir, temporal }: Stack, to: string): void {
  mkdirSync(to, { recursive: true })
  signal(temporal, 'SIGSTOP')
  try {
    cpSync(join(dataDir, 'temporal'), join(to, 'temporal'), { recursive: true })
  } finally {
    signal(temporal, 'SIGCONT')
  }
}
