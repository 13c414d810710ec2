// Starts a small Vitess cluster for tests: etcd, vtctld, VTGate, and for each shard a VTTablet with a MySQL server of its own.
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2/promise'
import { projectRoot } from '../runtime/process/version.js'
import { type MysqlServer, requireMysql, startMysql } from './mysql-chroot.js'
import { freePort } from './ports.js'
import type { LogLine } from './programs.js'
import { type Supervised, supervise } from './supervise.js'
import { type VitessPrograms, vitessPrograms } from './vitess-install.js'

/** The user `nobody`. Vitess refuses to run as root. */
const nobody = 65_534
const asNobody = ['--reuid=nobody', '--regid=nogroup', '--clear-groups', '--pdeathsig=KILL']

/**
 * Settings of MySQL behind Vitess. First what `connect` sets for each session, as defaults: a session whose settings are those of the server
 * shares connections with all others; any other setting makes VTTablet choose, or open, a connection that has it.
 */
export const serverSettings = [
  '--default-time-zone=+00:00',
  '--sql-mode=STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO',
  '--innodb-lock-wait-timeout=4',
  '--lock-wait-timeout=4',
  '--cte-max-recursion-depth=4294967295',
  '--gtid-mode=ON',
  '--enforce-gtid-consistency=ON',
]

/** Limits of VTTablet that Armature exceeds with their defaults. */
const limits = [
  // A step of the schema, or a batch of rows, may take longer than 30 s.
  '--queryserver-config-query-timeout=240s',
  // After a kill of VTGate, the locks of its open transactions stay for so long.
  '--queryserver-config-transaction-timeout=60s',
  '--queryserver-config-transaction-cap=100',
  '--queryserver-config-pool-size=50',
  '--queryserver-config-max-result-size=1000000',
]

/** VTGate and VTTablet send each other statements of 16 MB, which is the default limit of a message. */
const messages = '--grpc-max-message-size=67108864'

const cell = 'zone1'

/** The shard for what belongs to no tenant, and for all if it is the only one. */
const platform = 'armature/0'

/** A shard: its VTTablet and its MySQL server. */
export interface Shard {
  tablet: Supervised
  mysql: Pick<MysqlServer, 'url' | 'process' | 'dataFiles'>
}

export interface Vitess {
  /** mysql://armature@127.0.0.1:port/armature, the address of VTGate. */
  url: string
  gate: Supervised
  /** By names such as `armature/0` and `tenants/-80`. */
  shards: Record<string, Shard>
  /** Starts another shard. One that overlaps with those that there are gets no statements yet. */
  addShard(name: string): Promise<void>
  /** Runs a command of vtctldclient. @returns what it has printed. */
  control(...args: string[]): Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the cluster. The first call builds it, which takes some twenty minutes and needs Go.
 * @param of.shards names of further shards, such as `tenants/-80`.
 * @param of.sharded puts the tables of tenants into the keyspace `tenants`, by deploy/vitess.
 * @param of.mysql a running server, with {@link serverSettings} and a binary log, whose database `armature` becomes the keyspace of that name.
 * @throws StartProblem if something cannot be installed or does not start.
 */
export async function startVitess(of: {
  dataDir: string
  shards?: readonly string[]
  sharded?: boolean
  mysql?: MysqlServer
  log: LogLine
}): Promise<Vitess> {
  const { dataDir, log } = of
  const programs = await vitessPrograms({ dataDir, log })
  const home = join(dataDir, 'vitess', `run-${process.pid}-${await freePort()}`)
  mkdirSync(join(home, 'tmp'), { recursive: true })
  for (const path of [home, join(home, 'tmp')]) chownSync(path, nobody, nobody)
  const env = { ...process.env, VTDATAROOT: home }
  const stops = [async () => rmSync(home, { recursive: true, force: true })]
  const stop = async () => {
    for (const each of stops) await each()
  }
  const start = (name: string, args: string[]) => {
    const command = { name, command: 'setpriv', args: [...asNobody, ...args], env }
    const program = supervise(command, { logDir: join(dataDir, 'logs'), log })
    stops.unshift(() => program.stop())
    return program
  }
  const serverOf = async (name: string) => {
    if (name === platform && of.mysql) return of.mysql
    const settings = { name: `-${name.replace('/', '-')}`, binaryLog: true, settings: serverSettings }
    const server = await startMysql({ dataDir, ...settings, log })
    stops.unshift(() => server.stop())
    return server
  }
  try {
    const address = await startEtcd(programs, home, start)
    const topology = [
      '--topo-implementation=etcd2',
      `--topo-global-server-address=${address}`,
      '--topo-global-root=/vitess/global',
    ]
    const controlPort = await freePort()
    const vtctld = start('vtctld', [programs.vtctld, ...topology, ...(await controlArguments(controlPort))])
    const control = async (...args: string[]) => {
      const all = [`--server=127.0.0.1:${controlPort}`, ...args]
      return (await promisify(execFile)(programs.vtctldclient, all, { env, maxBuffer: 64 * 1024 * 1024 })).stdout
    }
    await vtctld.ready(() => control('GetKeyspaces'), 60_000)
    await control('AddCellInfo', `--root=/vitess/${cell}`, `--server-address=${address}`, cell)
    const shards: Record<string, Shard> = {}
    const addShard = async (name: string) => {
      await control('CreateShard', '--include-parent', '--force', name)
      const mysql = await serverOf(name)
      const alias = `${cell}-${100 + Object.keys(shards).length}`
      const args = [`--tablet-path=${alias}`, ...(await tabletArguments(name, mysql, home))]
      const tablet = start(`vttablet-${name.replace('/', '-')}`, [programs.vttablet, ...topology, ...args])
      await tablet.ready(() => control('TabletExternallyReparented', alias), 120_000)
      // It is the primary only when it can tell what is copied there.
      await tablet.ready(() => control('GetWorkflows', name.split('/')[0] ?? ''), 120_000)
      shards[name] = { tablet, mysql }
    }
    for (const name of [platform, ...(of.shards ?? [])]) await addShard(name)
    if (of.sharded) {
      for (const keyspace of ['armature', 'tenants'])
        await control('ApplyVSchema', `--vschema-file=${vschemaFile(keyspace)}`, keyspace)
      await control('ApplyRoutingRules', `--rules=${JSON.stringify(routingRules())}`)
    }
    const port = await freePort()
    const gate = start('vtgate', [programs.vtgate, ...topology, ...(await gateArguments(port))])
    const url = `mysql://armature@127.0.0.1:${port}/armature`
    await gate.ready(() => requireMysql(url), 180_000)
    if (of.sharded) await createSequences(url)
    return { url, gate, shards, addShard, control, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Start = (name: string, args: string[]) => Supervised

/** Starts etcd, in which the programs keep their topology. @returns its address. */
async function startEtcd({ etcd }: VitessPrograms, home: string, start: Start): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const own = [`--listen-client-urls=http://${address}`, `--advertise-client-urls=http://${address}`]
  const peers = [
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]
  const program = start('etcd', [etcd, `--data-dir=${join(home, 'etcd')}`, ...own, ...peers])
  await program.ready(async () => {
    const answer = await fetch(`http://${address}/health`)
    if (!answer.ok) throw new Error(await answer.text())
  })
  return address
}

async function tabletArguments(name: string, mysql: MysqlServer, home: string): Promise<string[]> {
  const [keyspace = '', shard = ''] = name.split('/')
  const passwords = join(home, `passwords-${name.replace('/', '-')}.json`)
  writeFileSync(passwords, JSON.stringify({ root: [new URL(mysql.url).password] }), { mode: 0o600 })
  chownSync(passwords, nobody, nobody)
  // VTTablet prepares a transaction of several shards only if it reaches MySQL by a socket, where only root is known.
  const socket = join(dirname(mysql.dataFiles), 'mysqld.sock')
  chmodSync(dirname(socket), 0o711)
  return [
    '--unmanaged',
    `--init-keyspace=${keyspace}`,
    `--init-shard=${shard}`,
    '--init-tablet-type=replica',
    '--init-db-name-override=armature',
    '--tablet-hostname=127.0.0.1',
    '--bind-address=127.0.0.1',
    `--port=${await freePort()}`,
    '--grpc-bind-address=127.0.0.1',
    `--grpc-port=${await freePort()}`,
    '--service-map=grpc-queryservice,grpc-tabletmanager,grpc-updatestream',
    messages,
    `--db-socket=${socket}`,
    '--db-charset=utf8mb4',
    ...['app', 'dba', 'allprivs', 'filtered', 'repl', 'appdebug'].map(role => `--db-${role}-user=root`),
    '--db-credentials-server=file',
    `--db-credentials-file=${passwords}`,
    ...limits,
  ]
}

const controlArguments = async (grpcPort: number): Promise<string[]> => [
  '--bind-address=127.0.0.1',
  `--port=${await freePort()}`,
  '--grpc-bind-address=127.0.0.1',
  `--grpc-port=${grpcPort}`,
  '--service-map=grpc-vtctld',
  messages,
]

const gateArguments = async (mysqlPort: number): Promise<string[]> => [
  `--cell=${cell}`,
  `--cells-to-watch=${cell}`,
  '--tablet-types-to-wait=PRIMARY',
  '--transaction-mode=TWOPC',
  // Statements wait while the traffic of a shard is switched.
  '--enable-buffer',
  `--mysql-server-port=${mysqlPort}`,
  '--mysql-server-bind-address=127.0.0.1',
  '--mysql-auth-server-impl=none',
  '--bind-address=127.0.0.1',
  `--port=${await freePort()}`,
  messages,
]

const vitessFiles = join(projectRoot, 'deploy', 'vitess')

/** Returns the file with the VSchema of a keyspace. */
export const vschemaFile = (keyspace: string): string => join(vitessFiles, 'vschema', `${keyspace}.json`)

/** Names of the tables of tenants. */
export const tablesOfTenants = (): string[] =>
  Object.keys(JSON.parse(readFileSync(join(vitessFiles, 'vschema', 'tenants.json'), 'utf8')).tables)

/** The rules by which statements name the tables of tenants as if they were in `armature`. */
const routingRules = () => ({
  rules: tablesOfTenants().flatMap(table =>
    [table, `armature.${table}`].map(from => ({ fromTable: from, toTables: [`tenants.${table}`] })),
  ),
})

/** Creates the tables to which the VSchema of tenants refers. @param url the address of VTGate. */
export async function createSequences(url: string): Promise<void> {
  const connection = await createConnection(url)
  try {
    const text = readFileSync(join(vitessFiles, 'sequences.sql'), 'utf8').replace(/^--.*$/gm, '')
    for (const statement of text.split(';')) if (statement.trim()) await connection.query(statement)
  } finally {
    await connection.end()
  }
}
