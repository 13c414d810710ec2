// Backups of the stack's two databases, and what is restored from them.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, createReadStream, createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Database, socketOf } from '../../dev/mariadb.js'
import { findProgram } from '../../dev/programs.js'
import { signal } from './faults.js'
import type { Stack } from './stack.js'

/** A moment in the log of changes of the database. */
export interface Position {
  file: string
  at: number
}

/** A server as its root, with the programs that come with it. */
function rootOf(dataDir: string, port = Number(new URL(urlOf(dataDir)).port)) {
  const { password }: { password: string } = JSON.parse(readFileSync(join(dataDir, 'mariadb.json'), 'utf8'))
  const program = (name: string) => {
    const found = findProgram(`mariadb${name}`, `mysql${name.replace('-', '')}`, 'mysql')
    if (!found) throw new Error(`There is no mariadb${name} on this machine`)
    return found
  }
  // The password is in the environment: the arguments of a process can be read by everybody.
  const env = { ...process.env, MYSQL_PWD: password }
  const login = ['--no-defaults', `--socket=${socketOf(port)}`, '--user=root']
  return { program, env, login }
}

const urlOf = (dataDir: string): string => {
  const { port }: { port: number } = JSON.parse(readFileSync(join(dataDir, 'mariadb.json'), 'utf8'))
  return `mysql://127.0.0.1:${port}`
}

/** The moment now, in the log of changes. */
export function positionNow({ dataDir }: Stack): Position {
  const { program, env, login } = rootOf(dataDir)
  const text = execFileSync(program(''), [...login, '--batch', '--skip-column-names', '-e', 'SHOW MASTER STATUS'], {
    env,
  })
  const [file = '', at] = String(text).split('\t')
  return { file, at: Number(at) }
}

/** Dumps the database as operations.md says, while it is written to. @returns the position that the dump is of. */
export async function dump({ dataDir }: Stack, file: string): Promise<Position> {
  const { program, env, login } = rootOf(dataDir)
  const options = [...login, '--single-transaction', '--master-data=2', '--databases', 'armature']
  const dumping = spawn(program('-dump'), options, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.all([pipeline(dumping.stdout, createWriteStream(file)), succeeded(dumping)])
  const head = readFileSync(file, 'utf8').slice(0, 10_000)
  const [, name = '', at] = /MASTER_LOG_FILE='([^']+)', MASTER_LOG_POS=(\d+)/.exec(head) ?? []
  return { file: name, at: Number(at) }
}

/** Writes a dump and the changes after it into an empty server. @param from.end the moment to which; all changes without it. */
export async function restore(
  { port }: Database,
  dataDir: string,
  from: { dump: string; log: string; start: Position; end: Position | undefined },
): Promise<void> {
  const { program, env, login } = rootOf(dataDir, port)
  const client = () => spawn(program(''), login, { env, stdio: ['pipe', 'inherit', 'inherit'] })
  const filled = client()
  await Promise.all([pipeline(createReadStream(from.dump), filled.stdin), succeeded(filled)])
  if (from.end && from.end.file !== from.start.file) throw new Error(`The log went on in ${from.end.file}`)
  const range = [`--start-position=${from.start.at}`, ...(from.end ? [`--stop-position=${from.end.at}`] : [])]
  const reading = spawn(program('-binlog'), ['--no-defaults', ...range, from.log], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const replayed = client()
  await Promise.all([pipeline(reading.stdout, replayed.stdin), succeeded(reading), succeeded(replayed)])
}

async function succeeded(program: ReturnType<typeof spawn>): Promise<void> {
  const [code] = await once(program, 'exit')
  if (code !== 0) throw new Error(`${program.spawnfile} ended with ${code}`)
}

/** Copies the data of Temporal at one moment: it stands still meanwhile, as in a snapshot of its disk. */
export function copyTemporal({ dataDir, temporal }: Stack, to: string): void {
  mkdirSync(to, { recursive: true })
  signal(temporal, 'SIGSTOP')
  try {
    cpSync(join(dataDir, 'temporal'), join(to, 'temporal'), { recursive: true })
  } finally {
    signal(temporal, 'SIGCONT')
  }
}
