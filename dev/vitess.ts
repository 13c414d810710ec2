// Builds Vitess, and starts it in front of a private MySQL server.
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { projectRoot } from '../runtime/process/version.js'
import { requireMysql, startMysql } from './mysql-chroot.js'
import { freePort } from './ports.js'
import { findProgram, isExecutable, type LogLine, run, StartProblem } from './programs.js'
import { supervise } from './supervise.js'

/** Version 24.0.4, by the number of its Go module. */
const vitessModule = 'vitess.io/vitess@v0.24.4'

/** The user `nobody`. Vitess refuses to run as root. */
const nobody = 65_534

/**
 * What `connect` sets for each session, as defaults of the server. A session whose settings are those of the server shares
 * connections with all others; any other setting makes VTTablet choose, or open, a connection that has it.
 */
const serverSettings = [
  '--default-time-zone=+00:00',
  '--sql-mode=STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO',
  '--innodb-lock-wait-timeout=4',
  '--lock-wait-timeout=4',
  '--cte-max-recursion-depth=4294967295',
]

/** Vitess in one process, with the MySQL server that has its data. */
export interface Vitess {
  /** mysql://armature@127.0.0.1:port/armature, an unsharded keyspace. */
  url: string
  stop(): Promise<void>
}

/**
 * Starts a MySQL server and `vtcombo`: VTGate, VTTablets and the topology in one process. The first call builds it, which
 * takes some ten minutes and needs Go.
 * @param sharded puts the tables of tenants into two shards, by deploy/vitess, and commits transactions over both in two phases.
 * @throws StartProblem if one of them cannot be installed or does not start.
 */
export async function startVitess({
  dataDir,
  sharded = false,
  log,
}: {
  dataDir: string
  sharded?: boolean
  log: LogLine
}): Promise<Vitess> {
  const logDir = join(dataDir, 'logs')
  mkdirSync(logDir, { recursive: true })
  const vtcombo = await vitessProgram({ dataDir, logDir, log })
  const gtids = ['--gtid-mode=ON', '--enforce-gtid-consistency=ON', '--server-id=1']
  const mysql = await startMysql({
    dataDir,
    name: '-vitess',
    binaryLog: true,
    settings: [...gtids, ...serverSettings],
    log,
  })
  const { username, password } = new URL(mysql.url)
  const home = join(dataDir, 'vitess', `run-${process.pid}`)
  mkdirSync(join(home, 'tmp'), { recursive: true })
  const passwords = join(home, 'passwords.json')
  writeFileSync(passwords, JSON.stringify({ root: [password] }), { mode: 0o600 })
  for (const path of [home, join(home, 'tmp'), passwords]) chownSync(path, nobody, nobody)
  // VTTablet prepares a transaction of several shards only if it reaches MySQL by a socket, where only root is known.
  const socket = join(dirname(mysql.dataFiles), 'mysqld.sock')
  chmodSync(dirname(socket), 0o711)
  const gatePort = await freePort()
  const schemas = join(home, 'schema')
  if (sharded) copyVschemas(schemas)
  const args = [
    '--reuid=nobody',
    '--regid=nogroup',
    '--clear-groups',
    '--pdeathsig=KILL',
    vtcombo,
    `--json-topo=${JSON.stringify(sharded ? twoShards() : { keyspaces: [platform] })}`,
    ...(sharded ? [`--schema-dir=${schemas}`, '--transaction-mode=TWOPC'] : []),
    `--mysql-server-port=${gatePort}`,
    '--mysql-server-bind-address=127.0.0.1',
    '--mysql-auth-server-impl=none',
    '--bind-address=127.0.0.1',
    `--port=${await freePort()}`,
    '--grpc-bind-address=127.0.0.1',
    `--grpc-port=${await freePort()}`,
    '--tablet-types-to-wait=PRIMARY',
    `--db-socket=${socket}`,
    '--db-charset=utf8mb4',
    ...['app', 'dba', 'allprivs', 'filtered', 'repl', 'appdebug'].map(role => `--db-${role}-user=root`),
    '--db-credentials-server=file',
    `--db-credentials-file=${passwords}`,
    ...limits,
  ]
  const env = { ...process.env, VTDATAROOT: home }
  const vitess = supervise({ name: 'vitess', command: 'setpriv', args, env }, { logDir, log })
  const url = `mysql://${username}@127.0.0.1:${gatePort}/armature`
  const stop = async () => {
    await vitess.stop()
    rmSync(home, { recursive: true, force: true })
    await mysql.stop()
  }
  try {
    await vitess.ready(() => requireMysql(url), 180_000)
    if (sharded) await runFile(url, join(vitessFiles, 'sequences.sql'))
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

const vitessFiles = join(projectRoot, 'deploy', 'vitess')
const onlyPrimary = { replicaCount: 1, rdonlyCount: -1 }
const platform = { name: 'armature', shards: [{ name: '0' }], ...onlyPrimary }

/** The topology in which the tables of tenants are in two shards. Statements name them as if they were in `armature`. */
function twoShards() {
  const { tables }: { tables: Record<string, unknown> } = JSON.parse(
    readFileSync(join(vitessFiles, 'vschema', 'tenants.json'), 'utf8'),
  )
  const rules = Object.keys(tables).flatMap(table =>
    [table, `armature.${table}`].map(from => ({ fromTable: from, toTables: [`tenants.${table}`] })),
  )
  const tenants = { name: 'tenants', shards: [{ name: '-80' }, { name: '80-' }], ...onlyPrimary }
  return { keyspaces: [platform, tenants], routingRules: { rules } }
}

/** Puts the VSchema of each keyspace where `vtcombo` looks for it. */
function copyVschemas(directory: string): void {
  for (const keyspace of ['armature', 'tenants']) {
    mkdirSync(join(directory, keyspace), { recursive: true })
    copyFileSync(join(vitessFiles, 'vschema', `${keyspace}.json`), join(directory, keyspace, 'vschema.json'))
  }
}

async function runFile(url: string, file: string): Promise<void> {
  const connection = await createConnection(url)
  try {
    const statements = readFileSync(file, 'utf8')
      .replace(/^--.*$/gm, '')
      .split(';')
    for (const statement of statements) if (statement.trim()) await connection.query(statement)
  } finally {
    await connection.end()
  }
}

/** Limits of VTTablet and VTGate that Armature exceeds with their defaults. */
const limits = [
  // A step of the schema, or a batch of rows, may take longer than 30 s.
  '--queryserver-config-query-timeout=240s',
  '--queryserver-config-transaction-timeout=300s',
  '--queryserver-config-transaction-cap=100',
  '--queryserver-config-pool-size=50',
  '--queryserver-config-max-result-size=1000000',
]

async function vitessProgram({
  dataDir,
  logDir,
  log,
}: {
  dataDir: string
  logDir: string
  log: LogLine
}): Promise<string> {
  const directory = join(dataDir, 'vitess')
  const program = join(directory, 'vtcombo')
  if (isExecutable(program)) return program
  const go = findProgram('go')
  if (!go) throw new StartProblem('Vitess is built from its Go module: install Go 1.26 or later.')
  const module = join(directory, 'module')
  mkdirSync(module, { recursive: true })
  const options = { logFile: join(logDir, 'vitess-install.log'), timeoutMs: 3_600_000, cwd: module }
  log(`Building Vitess, some ten minutes; details in ${options.logFile}`)
  if (!existsSync(join(module, 'go.mod'))) await run(go, ['mod', 'init', 'vitess'], options)
  await run(go, ['get', vitessModule, 'vitess.io/vitess/go/cmd/vtcombo'], options)
  await run(go, ['build', '-ldflags=-s -w', '-o', program, 'vitess.io/vitess/go/cmd/vtcombo'], options)
  return program
}
