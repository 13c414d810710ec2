// Backs up the databases of the platform and of Temporal, and restores the platform's.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, createReadStream, createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
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

/** Dumps the database as docs/backup.md says, while it is written to. @returns the position in the log at that moment. */
export async function dump(server: DatabaseServer, file: string): Promise<Position> {
  const [command, ...options] = server.programs.dump
  const args = [...options, '--single-transaction', '--databases', 'armature']
  const dumping = spawn(command, args, { env: passwordOf(server), stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.all([pipeline(dumping.stdout, createWriteStream(file)), succeeded(dumping)])
  const head = readFileSync(file, 'utf8').slice(0, 10_000)
  const [, name, at] = /_LOG_FILE='([^']+)', (?:MASTER|SOURCE)_LOG_POS=(\d+)/.exec(head) ?? []
  if (name === undefined) throw new Error('The dump does not name its position')
  return { file: name, at: Number(at) }
}

/** Restores a dump and the changes after it to an empty server. @param from.end last position to restore, by default all. */
export async function restore(
  server: DatabaseServer,
  from: { dump: string; log: string; start: Position; end: Position | undefined },
): Promise<void> {
  const client = () => {
    const [command, ...args] = server.programs.client
    return spawn(command, args, { env: passwordOf(server), stdio: ['pipe', 'inherit', 'inherit'] })
  }
  const filled = client()
  await Promise.all([pipeline(createReadStream(from.dump), filled.stdin), succeeded(filled)])
  if (from.end && from.end.file !== from.start.file) throw new Error(`The log went on in ${from.end.file}`)
  const range = [`--start-position=${from.start.at}`, ...(from.end ? [`--stop-position=${from.end.at}`] : [])]
  const [command, ...options] = server.programs.log
  await copyFile(from.log, join(server.dataFiles, 'lost'))
  const lost = join(server.dataFilesSeen, 'lost')
  const reading = spawn(command, [...options, ...range, lost], { stdio: ['ignore', 'pipe', 'inherit'] })
  const replayed = client()
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
