// Starts a private MariaDB or MySQL server.
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { databaseServer, initialise } from './mariadb-install.js'
import { freePort, isFree } from './ports.js'
import { type LogLine, StartProblem } from './programs.js'
import { type Supervised, supervise } from './supervise.js'

/** A private database server, and how to reach it. */
export interface Database {
  /** mysql://armature:password@127.0.0.1:port/armature. The user may also create databases named `armature…`. */
  url: string
  port: number
  process: Supervised
  stop(withinMs?: number): Promise<void>
}

/**
 * Starts a private MariaDB or MySQL server on 127.0.0.1, restarts it whenever it dies, and resolves when it answers. Its
 * data, port and password are stored under `dataDir`, so that a later start finds the same database.
 * @param port a port to use instead of the one chosen at the first start.
 * @param binaryLog writes a log of all changes, which replicas read and which allows point-in-time recovery.
 * @throws StartProblem if no server can be found or installed, or if it does not start.
 */
export async function startDatabase(options: {
  dataDir: string
  port?: number
  binaryLog?: boolean
  /** Further options of the server. They override those that are set here. */
  settings?: readonly string[]
  log: LogLine
}): Promise<Database> {
  const { dataDir, log } = options
  const logDir = join(dataDir, 'logs')
  const dataFiles = join(dataDir, 'mariadb')
  // Not shared, because a MariaDB that starts removes all temporary tables in this directory, even those of other servers.
  const temporaryFiles = join(dataDir, 'mariadb-tmp')
  for (const dir of [logDir, temporaryFiles]) mkdirSync(dir, { recursive: true })
  const server = await databaseServer({ logDir, log })
  if (!existsSync(dataFiles)) await initialise(server, { dataFiles, temporaryFiles, logDir, log })
  const { port, password } = await settings(join(dataDir, 'mariadb.json'), options.port)

  const socket = socketOf(port)
  const program = supervise(
    {
      name: 'mariadb',
      command: server.command,
      args: [
        // Both servers require this option to come first. It ignores the machine's own my.cnf.
        '--no-defaults',
        ...server.asRoot,
        ...server.ownOptions,
        `--datadir=${dataFiles}`,
        `--tmpdir=${temporaryFiles}`,
        `--socket=${socket}`,
        `--pid-file=${join(dataFiles, 'server.pid')}`,
        `--init-file=${initFile(join(dataDir, 'mariadb-init.sql'), password)}`,
        '--bind-address=127.0.0.1',
        `--port=${port}`,
        '--skip-name-resolve',
        ...(options.binaryLog ? ['--log-bin=changes', '--binlog-format=ROW'] : ['--skip-log-bin']),
        // Must differ between a replica and its primary.
        `--server-id=${port}`,
        // Deliberately not the level that db/connect.ts sets for each connection, so that code which relies on the server's
        // default is noticed.
        '--transaction-isolation=READ-COMMITTED',
        '--character-set-server=utf8mb4',
        '--max-connections=500',
        '--max-allowed-packet=64M',
        `--innodb-buffer-pool-size=${bufferPool()}`,
        // Searches that find very many subjects group them in memory.
        '--tmp-table-size=64M',
        '--max-heap-table-size=64M',
        '--innodb-flush-log-at-trx-commit=1',
        // MySQL's default. With MariaDB's, an insert of many rows makes all other writers of the table wait.
        '--innodb-autoinc-lock-mode=2',
        ...(options.settings ?? []),
      ],
    },
    { logDir, log },
  )
  const url = `mysql://armature:${password}@127.0.0.1:${port}/armature`
  try {
    // Generous, because a server that crashed first replays its log.
    await program.ready(() => ping(url))
  } catch (error) {
    await program.stop()
    throw error
  }
  return { url, port, process: program, stop: program.stop }
}

/**
 * Returns the size of the buffer pool: `MYSQL_BUFFER_POOL`, or an eighth of the machine's memory but at least 1 GB. The
 * indexes of a million people take 1.5 GB and are written at random places, so if they do not fit, each insert waits for
 * the disk.
 */
const bufferPool = (): string =>
  process.env.MYSQL_BUFFER_POOL ?? `${Math.max(1_024, Math.floor(totalmem() / 8 / 1024 / 1024))}M`

/** Returns the socket of a server. It is not in `dataDir`, whose path may exceed the limit of about 100 characters. */
export const socketOf = (port: number): string => join(tmpdir(), `armature-${process.getuid?.() ?? ''}-${port}.sock`)

/** Reads the port and the password from `file`. The first start chooses them and writes the file. */
async function settings(file: string, wanted: number | undefined): Promise<{ port: number; password: string }> {
  const kept: { port?: number; password?: string } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  if (wanted && !(await isFree(wanted))) {
    throw new StartProblem(`Port ${wanted} is taken: stop what listens there, or set DATABASE_PORT to a free port.`)
  }
  // Nobody depends on the stored port, so if it is taken now, another one is chosen without an error.
  const keptPort = kept.port && (await isFree(kept.port)) ? kept.port : undefined
  const port = wanted ?? keptPort ?? (await freePort())
  const password = kept.password ?? randomBytes(24).toString('base64url')
  writePrivately(file, `${JSON.stringify({ port, password })}\n`)
  return { port, password }
}

/** Writes the statements, one per line, that the server runs as root at every start. root gets the same password. */
function initFile(file: string, password: string): string {
  const user = `'armature'@'127.0.0.1'`
  writePrivately(
    file,
    [
      'CREATE DATABASE IF NOT EXISTS armature CHARACTER SET utf8mb4;',
      `CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY '${password}';`,
      `ALTER USER ${user} IDENTIFIED BY '${password}';`,
      `GRANT ALL PRIVILEGES ON \`armature%\`.* TO ${user};`,
      `ALTER USER IF EXISTS 'root'@'localhost' IDENTIFIED BY '${password}';`,
      '',
    ].join('\n'),
  )
  return file
}

function writePrivately(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 })
  chmodSync(file, 0o600)
}

async function ping(url: string): Promise<void> {
  const connection = await createConnection({ uri: url, connectTimeout: 2_000 })
  try {
    await connection.ping()
  } finally {
    connection.destroy()
  }
}
