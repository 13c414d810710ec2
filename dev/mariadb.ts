// Starts a private MariaDB server.
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
 * Starts a private MariaDB or MySQL server on 127.0.0.1 and restarts it when it dies. Its data, port and password stay
 * under `dataDir`, so that a later start finds the same database. Resolves when it answers.
 * @param port a port to use instead of the one picked at the first start.
 * @param binaryLog keeps a log of all changes, from which the data of any moment can be restored, and which replicas read.
 * @throws StartProblem when there is no server to be had or it does not start.
 */
export async function startDatabase(options: {
  dataDir: string
  port?: number
  binaryLog?: boolean
  /** Options of the server, before which its own give way. */
  settings?: readonly string[]
  log: LogLine
}): Promise<Database> {
  const { dataDir, log } = options
  const logDir = join(dataDir, 'logs')
  const dataFiles = join(dataDir, 'mariadb')
  // Its own, because every MariaDB that starts removes the temporary tables that it finds, those of others included.
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
        // First, as both servers demand: nothing is read from the machine's own my.cnf.
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
        // A replica and its primary have different ones.
        `--server-id=${port}`,
        // Another level than db/connect.ts sets for each connection, so that nothing relies on the server's default.
        '--transaction-isolation=READ-COMMITTED',
        '--character-set-server=utf8mb4',
        '--max-connections=500',
        '--max-allowed-packet=64M',
        `--innodb-buffer-pool-size=${bufferPool()}`,
        // A search that finds very many subjects groups them in memory.
        '--tmp-table-size=64M',
        '--max-heap-table-size=64M',
        '--innodb-flush-log-at-trx-commit=1',
        // The default of MySQL. With that of MariaDB, a statement of many new rows keeps every other writer of its table waiting.
        '--innodb-autoinc-lock-mode=2',
        ...(options.settings ?? []),
      ],
    },
    { logDir, log },
  )
  const url = `mysql://armature:${password}@127.0.0.1:${port}/armature`
  try {
    // Generous, because after a crash it first replays its log.
    await program.ready(() => ping(url), 120_000)
  } catch (error) {
    await program.stop()
    throw error
  }
  return { url, port, process: program, stop: program.stop }
}

/**
 * `MYSQL_BUFFER_POOL`, or an eighth of the machine's memory, at least 1 GB. The indexes of a million people have 1.5 GB, and are written at random places.
 * Where they do not fit, each person waits for the disk.
 */
const bufferPool = (): string =>
  process.env.MYSQL_BUFFER_POOL ?? `${Math.max(1_024, Math.floor(totalmem() / 8 / 1024 / 1024))}M`

/** The socket of a server by its port. A path may have about 100 characters, and dataDir is anybody's guess. */
export const socketOf = (port: number): string => join(tmpdir(), `armature-${process.getuid?.() ?? ''}-${port}.sock`)

/** The port and the password, chosen at the first start and kept. */
async function settings(file: string, wanted: number | undefined): Promise<{ port: number; password: string }> {
  const kept: { port?: number; password?: string } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  if (wanted && !(await isFree(wanted))) {
    throw new StartProblem(`Port ${wanted} is taken: stop what listens there, or set DATABASE_PORT to a free port.`)
  }
  // Nobody depends on the kept port, so another one is taken quietly when somebody else listens there now.
  const keptPort = kept.port && (await isFree(kept.port)) ? kept.port : undefined
  const port = wanted ?? keptPort ?? (await freePort())
  const password = kept.password ?? randomBytes(24).toString('base64url')
  writePrivately(file, `${JSON.stringify({ port, password })}\n`)
  return { port, password }
}

/** Statements that the server runs as its root at every start, one a line. root's own login gets the password as well. */
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
