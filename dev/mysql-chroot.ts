// Starts a private MySQL server in its own file tree.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { mysqlTree } from './mysql-install.js'
import { freePort } from './ports.js'
import { type LogLine, run, StartProblem } from './programs.js'
import { type Supervised, supervise } from './supervise.js'

/** A MySQL server of one test run. */
export interface MysqlServer {
  /** mysql://armature:password@127.0.0.1:port/armature. The user may do everything. */
  url: string
  process: Supervised
  /** The file tree with its programs. */
  tree: string
  /** Directory of its data and its log of changes. */
  dataFiles: string
  /** Ends the server and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts a new, empty MySQL in a chroot under `dataDir`, on a free port of 127.0.0.1, and resolves when it answers. The
 * server ends with this process, even if that is killed by kill -9.
 * @param name tells several servers of one process apart.
 * @param binaryLog writes a log of all changes, which replicas read and which allows point-in-time recovery.
 * @param settings further options of the server.
 * @throws StartProblem if MySQL cannot be installed or does not start.
 */
export async function startMysql({
  dataDir,
  name = '',
  binaryLog = false,
  settings = [],
  log,
}: {
  dataDir: string
  name?: string
  binaryLog?: boolean
  settings?: readonly string[]
  log: LogLine
}): Promise<MysqlServer> {
  const logDir = join(dataDir, 'logs')
  mkdirSync(logDir, { recursive: true })
  const tree = await mysqlTree({ dataDir, logDir, log })
  removeLeftOvers(join(tree, 'srv'))
  // The path as the server sees it from inside the chroot.
  const home = `/srv/run-${process.pid}${name}`
  const remove = () => rmSync(join(tree, home), { recursive: true, force: true })
  mkdirSync(join(tree, home), { recursive: true, mode: 0o700 })
  const port = await freePort()
  const password = randomBytes(24).toString('hex')
  writeFileSync(join(tree, home, 'init.sql'), initFile(password), { mode: 0o600 })
  // MySQL refuses to run as root, which it is in the chroot, unless it is told to.
  const mysqld = [tree, '/usr/sbin/mysqld', '--no-defaults', '--user=root', `--datadir=${home}/data`]
  const options = ['--secure-file-priv=NULL', '--mysqlx=OFF']
  try {
    await run('chroot', [...mysqld, '--initialize-insecure', ...options], {
      logFile: join(logDir, 'mysql-install.log'),
    })
  } catch (error) {
    remove()
    throw error
  }
  const args = [
    ...mysqld,
    ...options,
    `--socket=${home}/mysqld.sock`,
    `--pid-file=${home}/mysqld.pid`,
    `--init-file=${home}/init.sql`,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    '--skip-name-resolve',
    `--server-id=${port}`,
    binaryLog ? '--log-bin=changes' : '--skip-log-bin',
    '--max-connections=500',
    '--max-allowed-packet=64M',
    ...settings,
  ]
  const server = supervise({ name: `mysql${name}`, command: 'chroot', args }, { logDir, log })
  const stop = async () => {
    await server.stop(20_000)
    remove()
  }
  const url = `mysql://armature:${password}@127.0.0.1:${port}/armature`
  try {
    await server.ready(() => serverVersion(url))
  } catch (error) {
    await stop()
    throw error
  }
  return { url, process: server, tree, dataFiles: join(tree, home, 'data'), stop }
}

/**
 * Checks that a server is a MySQL that is new enough.
 * @returns its version, such as `8.4.3`.
 * @throws StartProblem if it does not answer, is a MariaDB, or is a MySQL before 8.4.
 */
export async function requireMysql(url: string): Promise<string> {
  const version = await serverVersion(url).catch((error: Error) => {
    throw new StartProblem(`The server of DATABASE_URL does not let us in: ${error.message}`)
  })
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (version.includes('MariaDB') || major < 8 || (major === 8 && minor < 4)) {
    throw new StartProblem(`The server of DATABASE_URL is ${version}: these tests want MySQL 8.4 or later.`)
  }
  return version
}

async function serverVersion(url: string): Promise<string> {
  const connection = await createConnection({ uri: url, connectTimeout: 5_000 })
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version')
    return String(rows[0]?.version)
  } finally {
    connection.destroy()
  }
}

/** Returns the statements, one per line, that the server runs when it starts. */
function initFile(password: string): string {
  const user = "'armature'@'127.0.0.1'"
  return [
    'CREATE DATABASE IF NOT EXISTS armature CHARACTER SET utf8mb4;',
    `CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY '${password}';`,
    `GRANT ALL PRIVILEGES ON *.* TO ${user} WITH GRANT OPTION;`,
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${password}';`,
    '',
  ].join('\n')
}

/** Removes the data of earlier runs that ended without cleaning up. Runs whose process is alive are spared. */
function removeLeftOvers(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = Number(/^run-(\d+)/.exec(name)?.[1])
    if (pid && !isAlive(pid)) rmSync(join(directory, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
