// Two cells: two databases of one server (that of DATABASE_URL, where it is set), two namespaces of one Temporal, an API and a worker each. Routers, if wanted.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import type { Knex } from 'knex'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { applyDemoTenants } from '../../dev/demo-tenants.js'
import { apiProgram, routerProgram, workerProgram } from '../../dev/own-processes.js'
import { projectRoot } from '../../dev/programs.js'
import { type Supervised, supervise } from '../../dev/supervise.js'
import { startTemporal } from '../../dev/temporal.js'
import { minHashCost } from '../../runtime/secrets.js'
import { startLoadBalancer } from './load-balancer.js'
import { claimPorts } from './ports.js'
import { isReady } from './readiness.js'
import { startScratchDatabase } from './stack.js'
import { until } from './until.js'

const quiet = () => undefined

/** An installation with a name. */
export interface TestCell {
  name: string
  baseUrl: string
  databaseUrl: string
  db: Knex
  namespace: string
  worker: Supervised
}

export interface TwoCells {
  a: TestCell
  b: TestCell
  /** Address before both, and their PUBLIC_URL: of the router, or of the load balancer before several. Empty without one. */
  routerUrl: string
  /** Routers with their ports. */
  routers: { program: Supervised; port: number }[]
  /** Before several routers. */
  balancer: Awaited<ReturnType<typeof startLoadBalancer>> | undefined
  /** Undefined with DATABASE_URL. */
  database: Supervised | undefined
  temporalAddress: string
  encryptionKey: string
  stop(): Promise<void>
}

/** Starts both, ready. Each may move tenants to the other. @param env settings of their processes. */
export async function startCells(env: NodeJS.ProcessEnv = {}, { routers: count = 0 } = {}): Promise<TwoCells> {
  const dataDir = await mkdtemp(join(tmpdir(), 'armature-cells-'))
  const logDir = join(dataDir, 'logs')
  const claimed = await claimPorts()
  const ports = [...claimed.ports]
  const nextPort = (): number => ports.shift() ?? 0
  const binDir = join(projectRoot, '.data', 'bin')
  const [database, temporal] = await Promise.all([
    startScratchDatabase(dataDir, nextPort()),
    startTemporal({ dataDir, binDir, port: nextPort(), namespace: 'a', log: quiet }),
  ])
  const databaseOf = (name: string) => {
    const url = new URL(database.url)
    url.pathname += `_cell_${name}`
    return url.href
  }
  const root = connect(database.url, { poolSize: 1 })
  const schemas = ['a', 'b'].map(name => new URL(databaseOf(name)).pathname.slice(1))
  for (const schema of schemas) await root.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [schema])
  await addNamespace(temporal.address, 'b')
  const encryptionKey = env.ENCRYPTION_KEY ?? randomBytes(32).toString('base64')
  const portOf = { a: nextPort(), b: nextPort() }
  const urlOf = (name: 'a' | 'b') => `http://127.0.0.1:${portOf[name]}`
  const routerPorts = Array.from({ length: count }, nextPort)
  const balancer = count > 1 ? { port: nextPort() } : undefined
  const routerUrl = count > 0 ? `http://127.0.0.1:${balancer?.port ?? routerPorts[0]}` : ''
  const cellUrls = {
    CELL_URLS: `a=${urlOf('a')} b=${urlOf('b')}`,
    CELL_DATABASE_URLS: `a=${databaseOf('a')} b=${databaseOf('b')}`,
  }
  const programs: Supervised[] = []

  async function cell(name: 'a' | 'b'): Promise<TestCell> {
    const baseUrl = urlOf(name)
    const databaseUrl = databaseOf(name)
    await migrate(databaseUrl)
    const settings = {
      ...process.env,
      PORT: String(portOf[name]),
      PUBLIC_URL: routerUrl,
      TRUSTED_PROXIES: count > 0 ? '127.0.0.1' : '',
      IDENTITY_AUTHORITY: '',
      DATABASE_URL: databaseUrl,
      CELL_NAME: name,
      ...cellUrls,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: name,
      SECRET_HASH_COST: String(minHashCost),
      ENCRYPTION_KEY: encryptionKey,
      ...env,
    }
    // The administrator belongs to a tenant of each cell that never moves.
    if (name === 'a')
      await applyDemoTenants(databaseUrl, { encryptionKey, providerUrl: baseUrl, secretHashCost: minHashCost })
    const own = (program: ReturnType<typeof apiProgram>) =>
      supervise({ ...program, name: `${program.name}-${name}` }, { logDir, log: quiet })
    const api = own(apiProgram(settings))
    const worker = own(workerProgram({ ...settings, WORKER_PORT: String(nextPort()) }))
    programs.push(api, worker)
    await api.ready(() => isReady(baseUrl))
    return { name, baseUrl, databaseUrl, db: connect(databaseUrl, { poolSize: 4 }), namespace: name, worker }
  }

  const [a, b] = await Promise.all([cell('a'), cell('b')])
  const routers = routerPorts.map((port, n) => {
    const settings = { ...process.env, PORT: String(port), ...cellUrls }
    return { program: supervise({ ...routerProgram(settings), name: `router-${n}` }, { logDir, log: quiet }), port }
  })
  programs.push(...routers.map(({ program }) => program))
  await Promise.all(routers.map(({ program, port }) => program.ready(() => isReady(`http://127.0.0.1:${port}`))))
  const balancing = balancer && (await startLoadBalancer(balancer.port))
  for (const { port } of routers) balancing?.add(port)
  if (balancing) await until('all routers are ready', async () => routers.every(({ port }) => balancing.isReady(port)))
  return {
    a,
    b,
    routerUrl,
    routers,
    balancer: balancing,
    database: database.process,
    temporalAddress: temporal.address,
    encryptionKey,
    async stop() {
      await balancing?.stop()
      await Promise.all([a, b].map(({ db }) => db.destroy()))
      await Promise.all(programs.map(program => program.stop()))
      for (const schema of schemas) await root.raw('DROP DATABASE ??', [schema])
      await root.destroy()
      await Promise.all([temporal.stop(), database.stop()])
      await claimed.release()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function addNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address })
  try {
    const { workflowService } = connection
    await workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    })
    await until('the namespace is there', () =>
      workflowService.describeNamespace({ namespace }).then(
        () => true,
        () => false,
      ),
    )
  } finally {
    await connection.close()
  }
}
