// Starts replicas of the database, and tells which server processes read from.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { api } from './api.js'
import { type DatabaseServer, isMysql, runSql, startServer } from './database-servers.js'

/** Returns a function that counts the reads of a process by server, and if given by reader. The numbers are from its metrics. */
export async function readsOf(
  metricsUrl: string,
): Promise<(server: 'primary' | 'replicas', reader?: string) => number> {
  // A text of metrics may be a second old.
  await sleep(1_100)
  const text = await (await fetch(`${metricsUrl}/metrics`)).text()
  const found = [...text.matchAll(/^armature_reads_total{reader="([^"]+)",server="([^"]+)"} (\d+)$/gm)]
  return (server, reader) =>
    found
      .filter(([, by, at]) => (reader ?? by) === by && (at === 'primary') === (server === 'primary'))
      .reduce((sum, [, , , count]) => sum + Number(count), 0)
}

/** Returns the state of each replica, as the health of a process shows it. */
export async function replicaStates(baseUrl: string): Promise<Record<string, string>> {
  const { body } = await api(baseUrl, '').get<{ replicas?: Record<string, string> }>('/health/status')
  return body.replicas ?? {}
}

export interface StartedReplica extends DatabaseServer {
  /** Runs statements with all privileges. @returns the columns of the last one's first row. */
  sql(...statements: string[]): Promise<string[]>
}

/**
 * Differences between MySQL and MariaDB: the statement that names the primary, and `settings` that let a replica apply changes in several
 * threads and commit them in the order of the primary.
 */
const words = isMysql
  ? {
      change: 'CHANGE REPLICATION SOURCE TO GET_SOURCE_PUBLIC_KEY = 1,',
      prefix: 'SOURCE',
      // The others are defaults: four threads, replica_preserve_commit_order.
      settings: 'SET GLOBAL super_read_only = 1',
    }
  : {
      change: 'CHANGE MASTER TO',
      prefix: 'MASTER',
      settings: "SET GLOBAL slave_parallel_threads = 4, slave_parallel_mode = 'optimistic', read_only = 1",
    }

const account = { user: 'replica', password: 'of-a-test' }

/** Starts a primary. */
export async function startPrimary(of: { dataDir: string; port: number }): Promise<DatabaseServer> {
  const server = await startServer({ ...of, binaryLog: true })
  await runSql(
    server.login,
    `CREATE USER '${account.user}'@'127.0.0.1' IDENTIFIED BY '${account.password}'`,
    `GRANT REPLICATION SLAVE ON *.* TO '${account.user}'@'127.0.0.1'`,
  )
  return server
}

/**
 * Starts a replica that applies all changes of a primary since its first start.
 * @param primary the URL of the primary's database.
 * @param of.lateSeconds how much later the replica applies each change, 0 by default.
 */
export async function startReplica(
  primary: string,
  of: { dataDir: string; port: number; lateSeconds?: number },
): Promise<StartedReplica> {
  const { port, password } = new URL(primary)
  mkdirSync(of.dataDir, { recursive: true })
  // User accounts are replicated too, so the passwords are those of the primary.
  writeFileSync(
    join(of.dataDir, 'mariadb.json'),
    JSON.stringify({ port: of.port, password: decodeURIComponent(password) }),
  )
  const server = await startServer({ ...of, binaryLog: false })
  const { change, prefix, settings } = words
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
  const sql = (...statements: string[]) => runSql(server.login, ...statements)
  await sql(`${change} ${values.join(', ')}`, settings, 'START REPLICA')
  return { ...server, sql }
}
