// Replicas of the database for tests, and what processes read at them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDatabase } from '../../dev/mariadb.js'
import type { Supervised } from '../../dev/supervise.js'
import { api } from './api.js'
import { rootOf } from './backups.js'

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

const account = { user: 'replica', password: 'of-a-test' }

/** A replica of a private MariaDB. */
export interface StartedReplica {
  url: string
  process: Supervised
  /** Runs statements as its root. @returns the columns of the first row. */
  sql(statements: string): string[]
  stop(): Promise<void>
}

/**
 * Starts a replica that has all changes of a server from its beginning on, applied by several threads in the order of their commits.
 * @param primary its data directory; it keeps a log of its changes.
 */
export async function startReplica(primary: string, dataDir: string, port: number): Promise<StartedReplica> {
  const { port: from, password }: { port: number; password: string } = JSON.parse(
    readFileSync(join(primary, 'mariadb.json'), 'utf8'),
  )
  // The accounts come with the log, so the passwords are those of the primary.
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'mariadb.json'), JSON.stringify({ port, password }))
  const server = await startDatabase({ dataDir, port, log: () => undefined })
  const sql = (statements: string) => asRoot(dataDir, statements)
  asRoot(
    primary,
    `CREATE USER IF NOT EXISTS '${account.user}'@'127.0.0.1' IDENTIFIED BY '${account.password}';
     GRANT REPLICATION SLAVE ON *.* TO '${account.user}'@'127.0.0.1'`,
  )
  sql(
    `SET GLOBAL slave_parallel_threads = 4, slave_parallel_mode = 'optimistic', read_only = 1;
     CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${from}, MASTER_USER = '${account.user}',
       MASTER_PASSWORD = '${account.password}', MASTER_LOG_FILE = 'changes.000001', MASTER_LOG_POS = 4, MASTER_CONNECT_RETRY = 1;
     START SLAVE`,
  )
  return { url: server.url, process: server.process, sql, stop: () => server.stop() }
}

function asRoot(dataDir: string, statements: string): string[] {
  const { program, env, login } = rootOf(dataDir)
  const args = [...login, '--batch', '--skip-column-names', '-e', statements]
  const [row = ''] = String(execFileSync(program(''), args, { env })).split('\n')
  return row.split('\t')
}
