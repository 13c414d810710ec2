// Replicas of the database for tests, and what processes read at them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ConnectionOptions, createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import { socketOf, startDatabase } from '../../dev/mariadb.js'
import { startMysql } from '../../dev/mysql-chroot.js'
import { projectRoot } from '../../dev/programs.js'
import type { Supervised } from '../../dev/supervise.js'
import { api } from './api.js'

/** Reads of a process by reader and server, as its metrics count them. */
export async function readsOf(baseUrl: string): Promise<(server: 'primary' | 'replicas', reader?: string) => number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  const found = [...text.matchAll(/^armature_reads_total{reader="([^"]+)",server="([^"]+)"} (\d+)$/gm)]
  return (server, reader) =>
    found
      .filter(([, by, at]) => (reader ?? by) === by && (at === 'primary') === (server === 'primary'))
      .reduce((sum, [, , , count]) => sum + Number(count), 0)
}

/** The replicas of a process and their states, as it shows them. */
export async function replicaStates(baseUrl: string): Promise<Record<string, string>> {
  const { body } = await api(baseUrl, '').get<{ replicas?: Record<string, string> }>('/health/status')
  return body.replicas ?? {}
}

/** A database server of a test, and a way to its statements that need all privileges. */
interface Server {
  url: string
  process: Supervised
  login: ConnectionOptions
  stop(): Promise<void>
}

/** A replica. */
export interface StartedReplica extends Server {
  /** Runs statements with all privileges. @returns the columns of the last one's first row. */
  sql(...statements: string[]): Promise<string[]>
}

interface Engine {
  start(of: { dataDir: string; port: number; binaryLog: boolean }): Promise<Server>
  /** Of replicas: more threads than one, and the order of the primary. */
  settings: string
  /** The words of the statement that names the primary. */
  source: { change: string; prefix: string }
}

const quiet = () => undefined

const mariadb: Engine = {
  async start(of) {
    const { url, port, process, stop } = await startDatabase({ ...of, log: quiet })
    const password = decodeURIComponent(new URL(url).password)
    return { url, process, stop, login: { socketPath: socketOf(port), user: 'root', password } }
  },
  settings: "SET GLOBAL slave_parallel_threads = 4, slave_parallel_mode = 'optimistic', read_only = 1",
  source: { change: 'CHANGE MASTER TO', prefix: 'MASTER' },
}

const mysql: Engine = {
  async start({ binaryLog, port }) {
    const dataDir = resolve(projectRoot, process.env.DATA_DIR || '.data')
    const server = await startMysql({ dataDir, name: `-${port}`, binaryLog, log: quiet })
    return { ...server, login: { uri: server.url } }
  },
  // The others are defaults: four threads, replica_preserve_commit_order.
  settings: 'SET GLOBAL super_read_only = 1',
  source: { change: 'CHANGE REPLICATION SOURCE TO GET_SOURCE_PUBLIC_KEY = 1,', prefix: 'SOURCE' },
}

/** With `npm run test:mysql` replication is that of MySQL. */
const engine = process.env.DATABASE_URL ? mysql : mariadb

const account = { user: 'replica', password: 'of-a-test' }

/** Starts a primary, which keeps a log of its changes. */
export async function startPrimary(of: { dataDir: string; port: number }): Promise<Server> {
  const server = await engine.start({ ...of, binaryLog: true })
  await run(
    server.login,
    `CREATE USER '${account.user}'@'127.0.0.1' IDENTIFIED BY '${account.password}'`,
    `GRANT REPLICATION SLAVE ON *.* TO '${account.user}'@'127.0.0.1'`,
  )
  return server
}

/**
 * Starts a replica that has all changes of a primary from its beginning on.
 * @param primary the URL of its database.
 * @param of.lateSeconds how much later it makes each change.
 */
export async function startReplica(
  primary: string,
  of: { dataDir: string; port: number; lateSeconds?: number },
): Promise<StartedReplica> {
  const { port, password } = new URL(primary)
  mkdirSync(of.dataDir, { recursive: true })
  // Accounts come with the log, so its passwords are those of the primary.
  writeFileSync(
    join(of.dataDir, 'mariadb.json'),
    JSON.stringify({ port: of.port, password: decodeURIComponent(password) }),
  )
  const server = await engine.start({ ...of, binaryLog: false })
  const { change, prefix } = engine.source
  const named = {
    HOST: `'127.0.0.1'`,
    PORT: port,
    USER: `'${account.user}'`,
    PASSWORD: `'${account.password}'`,
    LOG_FILE: `'changes.000001'`,
    LOG_POS: 4,
    CONNECT_RETRY: 1,
    DELAY: of.lateSeconds ?? 0,
  }
  const values = Object.entries(named).map(([name, value]) => `${prefix}_${name} = ${value}`)
  const sql = (...statements: string[]) => run(server.login, ...statements)
  await sql(`${change} ${values.join(', ')}`, engine.settings, 'START REPLICA')
  return { ...server, sql }
}

async function run(login: ConnectionOptions, ...statements: string[]): Promise<string[]> {
  const connection = await createConnection(login)
  try {
    let rows: RowDataPacket[] | ResultSetHeader = []
    for (const statement of statements) [rows] = await connection.query<RowDataPacket[] | ResultSetHeader>(statement)
    return Array.isArray(rows) ? Object.values(rows[0] ?? {}).map(String) : []
  } finally {
    await connection.end()
  }
}
