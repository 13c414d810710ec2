// Starts database servers for tests that need more than a URL: all privileges, a binary log, or the programs for backups.
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, delimiter, join, relative, resolve } from 'node:path'
import { type ConnectionOptions, createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import { socketOf, startDatabase } from '../../dev/mariadb.js'
import { startMysql } from '../../dev/mysql-chroot.js'
import { findProgram } from '../../dev/programs.js'
import type { Supervised } from '../../dev/supervise.js'
import { projectRoot } from '../../runtime/process/version.js'

/** A database server of a test. `login` has all privileges. */
export interface DatabaseServer {
  url: string
  process: Supervised
  login: ConnectionOptions
  /** Directory of its data and its log of changes. */
  dataFiles: string
  /** Path of that directory for its programs, which may run in a chroot. */
  dataFilesSeen: string
  /** Commands with their first arguments. They take the password from `MYSQL_PWD`. */
  programs: { client: Command; log: Command }
  /** A PATH with the programs of this server. */
  path: string
  stop(): Promise<void>
}

type Command = readonly [string, ...string[]]

interface Settings {
  /** Directory for its data. The last part of the path must be unique among the servers of a process. */
  dataDir: string
  /** By default a free port. MySQL ignores it and always uses a free port. */
  port?: number
  /** Keeps a log of all changes. */
  binaryLog: boolean
  /** Options for MariaDB only. */
  settings?: readonly string[]
}

/** Set by `npm run test:mysql`, whose servers are MySQL. */
export const isMysql = Boolean(process.env.DATABASE_URL)

/** Set by `npm run test:vitess`. VTGate ignores LOCK TABLES. */
export const isVitess = Boolean(process.env.THROUGH_VITESS)

const quiet = () => undefined

/** Starts a server. A MySQL is always empty, and its data is removed when it stops. */
export const startServer = (of: Settings): Promise<DatabaseServer> => (isMysql ? mysql(of) : mariadb(of))

async function mariadb(of: Settings): Promise<DatabaseServer> {
  const { url, port, process, stop } = await startDatabase({ ...of, log: quiet })
  const socketPath = socketOf(port)
  const login = ['--no-defaults', `--socket=${socketPath}`, '--user=root']
  return {
    url,
    process,
    stop,
    login: { socketPath, user: 'root', password: decodeURIComponent(new URL(url).password) },
    dataFiles: join(of.dataDir, 'mariadb'),
    dataFilesSeen: join(of.dataDir, 'mariadb'),
    programs: {
      client: [installed('mariadb'), ...login],
      log: [installed('mariadb-binlog'), '--no-defaults'],
    },
    path: globalThis.process.env.PATH ?? '',
  }
}

function installed(program: string): string {
  const found = findProgram(program)
  if (!found) throw new Error(`There is no ${program} on this machine`)
  return found
}

async function mysql({ dataDir, binaryLog }: Settings): Promise<DatabaseServer> {
  const own = resolve(projectRoot, process.env.DATA_DIR || '.data')
  const server = await startMysql({ dataDir: own, name: `-${basename(dataDir)}`, binaryLog, log: quiet })
  const { hostname, port, username } = new URL(server.url)
  const login = ['--no-defaults', `--host=${hostname}`, `--port=${port}`, `--user=${username}`]
  return {
    ...server,
    login: { uri: server.url },
    dataFilesSeen: join('/', relative(server.tree, server.dataFiles)),
    programs: {
      client: ['chroot', server.tree, 'mysql', ...login],
      log: ['chroot', server.tree, 'mysqlbinlog', '--no-defaults'],
    },
    path: `${await wrappersIn(join(dataDir, 'programs'), server.tree)}${delimiter}${process.env.PATH}`,
  }
}

/** Writes scripts that run the programs of a chroot. @returns their directory. */
async function wrappersIn(directory: string, tree: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  for (const program of ['mysqldump', 'mysql'])
    await writeFile(join(directory, program), `#!/bin/sh\nexec chroot ${tree} ${program} "$@"\n`, { mode: 0o755 })
  return directory
}

/** Runs statements. @returns the columns of the last one's first row. */
export async function runSql(login: ConnectionOptions, ...statements: string[]): Promise<string[]> {
  const connection = await createConnection(login)
  try {
    let rows: RowDataPacket[] | ResultSetHeader = []
    for (const statement of statements) [rows] = await connection.query<RowDataPacket[] | ResultSetHeader>(statement)
    return Array.isArray(rows) ? Object.values(rows[0] ?? {}).map(String) : []
  } finally {
    await connection.end()
  }
}
