// Runs the programs of MySQL and MariaDB that dump a database and run SQL.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { CommandFailed } from './command-failed.js'

/** The programs of each server, its own first. The other's mostly work too. */
const programs = {
  dump: { mariadb: ['mariadb-dump', 'mysqldump'], mysql: ['mysqldump', 'mariadb-dump'] },
  client: { mariadb: ['mariadb', 'mysql'], mysql: ['mysql', 'mariadb'] },
} as const

/** A program that is installed, and whose it is. */
export interface Program {
  path: string
  isMariaDbs: boolean
}

/** A server, and how its programs reach a database of it. */
export interface Server {
  isMariaDb: boolean
  databaseUrl: string
}

/**
 * Starts a dump of the database, as of one instant and without locks.
 * @param withPosition whether the dump names its position in the binary log, which the user must be allowed to ask for.
 * @throws CommandFailed if there is no such program.
 */
export async function startDump(server: Server, env: NodeJS.ProcessEnv, withPosition: boolean) {
  const { path, isMariaDbs } = await findProgram('dump', server, env)
  const own = isMariaDbs
    ? [...(withPosition ? ['--master-data=2'] : [])]
    : ['--set-gtid-purged=OFF', '--column-statistics=0', ...(withPosition ? ['--source-data=2'] : [])]
  const args = [...loginOf(server, isMariaDbs), '--single-transaction', '--no-tablespaces', '--hex-blob', ...own]
  return run(path, [...args, databaseOf(server)], server, env)
}

/** Finds the client that runs SQL. @throws CommandFailed if there is none. */
export const findClient = (server: Server, env: NodeJS.ProcessEnv): Promise<Program> =>
  findProgram('client', server, env)

/** Starts a client that runs the SQL which is written to it, and ends at the first error. */
export const startClient = ({ path, isMariaDbs }: Program, server: Server, env: NodeJS.ProcessEnv): Running =>
  run(path, [...loginOf(server, isMariaDbs), '--binary-mode', databaseOf(server)], server, env)

/** A program that runs. */
interface Running {
  input: Writable
  output: Readable
  /** Waits for its end. @throws CommandFailed with what it has said, unless it has succeeded. */
  ended: Promise<void>
  stop(): void
}

function run(path: string, args: readonly string[], { databaseUrl }: Server, env: NodeJS.ProcessEnv): Running {
  // Everybody on the machine can read the arguments of a process.
  const MYSQL_PWD = decodeURIComponent(new URL(databaseUrl).password)
  const child = spawn(path, args, { env: { ...env, MYSQL_PWD }, stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000)
  })
  const ended = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new CommandFailed([`${path} ended with ${code}: ${said.trim()}`])
  })
  // It is awaited after the streams, which may fail first.
  ended.catch(() => undefined)
  return { input: child.stdin, output: child.stdout, ended, stop: () => void child.kill() }
}

async function findProgram(
  what: keyof typeof programs,
  { isMariaDb }: Server,
  env: NodeJS.ProcessEnv,
): Promise<Program> {
  const names = programs[what][isMariaDb ? 'mariadb' : 'mysql']
  const directories = (env.PATH ?? '').split(delimiter).filter(Boolean)
  for (const name of names)
    for (const directory of directories) {
      const path = join(directory, name)
      if (!(await isExecutable(path))) continue
      // Distributions install MariaDB's programs under the names of MySQL's too.
      const { stdout } = await promisify(execFile)(path, ['--version'], { env })
      return { path, isMariaDbs: stdout.includes('MariaDB') }
    }
  throw new CommandFailed([
    `There is no ${names.join(' or ')} on the PATH. Install the client programs of ${isMariaDb ? 'MariaDB' : 'MySQL'}, such as the package ${isMariaDb ? 'mariadb-client' : 'mysql-client'}.`,
  ])
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

const databaseOf = ({ databaseUrl }: Server): string => decodeURIComponent(new URL(databaseUrl).pathname.slice(1))

/** Returns the arguments that name server and user. `--no-defaults` comes first, and keeps files of the user out. */
function loginOf({ databaseUrl }: Server, isMariaDbs: boolean): string[] {
  const { hostname, port, username, searchParams } = new URL(databaseUrl)
  const [mode, ca] = [searchParams.get('ssl-mode')?.toUpperCase(), searchParams.get('ssl-ca')]
  const verified = mode ?? (ca === null ? undefined : 'VERIFY_IDENTITY')
  const tls = isMariaDbs
    ? verified === 'VERIFY_IDENTITY'
      ? ['--ssl', '--ssl-verify-server-cert']
      : verified === 'VERIFY_CA'
        ? ['--ssl']
        : ['--skip-ssl']
    : [`--ssl-mode=${verified ?? 'PREFERRED'}`]
  return [
    '--no-defaults',
    `--host=${hostname.replace(/[[\]]/g, '')}`,
    '--protocol=TCP',
    ...(port ? [`--port=${port}`] : []),
    `--user=${decodeURIComponent(username)}`,
    ...tls,
    ...(ca === null ? [] : [`--ssl-ca=${ca}`]),
  ]
}
