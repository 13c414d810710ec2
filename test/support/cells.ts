// Two cells: two databases of one server, two namespaces of one Temporal, an API and a worker each. A router, if wanted.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import type { Knex } from 'knex'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { applyDemoTenants } from '../../dev/demo-tenants.js'
import { startDatabase } from '../../dev/mariadb.js'
import { apiProgram, routerProgram, workerProgram } from '../../dev/own-processes.js'
import { projectRoot } from '../../dev/programs.js'
import { type Supervised, supervise } from '../../dev/supervise.js'
import { startTemporal } from '../../dev/temporal.js'
import { minHashCost } from '../../runtime/secrets.js'
import { claimPorts } from './ports.js'
import { isReady } from './readiness.js'
import { until } from './until.js'

const quiet = () => undefined

/** An installation with a name. */
export interface TestCell {
  name: string
  baseUrl: string
  db: Knex
  namespace: string
  worker: Supervised
}

export interface TwoCells {
  a: TestCell
  b: TestCell
  /** Address of the router before both, and their PUBLIC_URL; empty without it. */
  routerUrl: string
  temporalAddress: string
  encryptionKey: string
  stop(): Promise<void>
}

/** Starts both, ready. Each may move tenants to the other. @param env settings of their processes. */
export async function startCells(env: NodeJS.ProcessEnv = {}, { withRouter = false } = {}): Promise<TwoCells> {
  const dataDir = await mkdtemp(join(tmpdir(), 'armature-cells-'))
  const logDir = join(dataDir, 'logs')
  const claimed = await claimPorts()
  const ports = [...claimed.ports]
  const nextPort = (): number => ports.shift() ?? 0
  const binDir = join(projectRoot, '.data', 'bin')
  const [database, temporal] = await Promise.all([
    startDatabase({ dataDir, port: nextPort(), log: quiet }),
    startTemporal({ dataDir, binDir, port: nextPort(), namespace: 'a', log: quiet }),
  ])
  const databaseOf = (name: string) => database.url.replace(/\/armature$/, `/armature_cell_${name}`)
  const root = connect(database.url, { poolSize: 1 })
  for (const name of ['a', 'b']) await root.raw(`CREATE DATABASE armature_cell_${name} CHARACTER SET utf8mb4`)
  await root.destroy()
  await addNamespace(temporal.address, 'b')
  const encryptionKey = env.ENCRYPTION_KEY ?? randomBytes(32).toString('base64')
  const portOf = { a: nextPort(), b: nextPort() }
  const urlOf = (name: 'a' | 'b') => `http://127.0.0.1:${portOf[name]}`
  const routerPort = nextPort()
  const routerUrl = withRouter ? `http://127.0.0.1:${routerPort}` : ''
  const cellUrls = {
    CELL_URLS: `a=${urlOf('a')} b=${urlOf('b')}`,
    CELL_DATABASE_URLS: `a=${databaseOf('a')} b=${databaseOf('b')}`,
  }
  const programs: Supervised[] = []

  async function cell(name: 'a' | 'b'): Promise<TestCell> {
    const baseUrl = urlOf(name)
    const databaseUrl = databaseOf(name)
    await migrate(databaseUrl, quiet)
    const settings = {
      ...process.env,
      PORT: String(portOf[name]),
      PUBLIC_URL: routerUrl,
      TRUSTED_PROXIES: withRouter ? '127.0.0.1' : '',
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
    return { name, baseUrl, db: connect(databaseUrl, { poolSize: 4 }), namespace: name, worker }
  }

  const [a, b] = await Promise.all([cell('a'), cell('b')])
  if (withRouter) {
    const settings = { ...process.env, PORT: String(routerPort), ...cellUrls }
    const router = supervise(routerProgram(settings), { logDir, log: quiet })
    programs.push(router)
    await router.ready(() => isReady(routerUrl))
  }
  return {
    a,
    b,
    routerUrl,
    temporalAddress: temporal.address,
    encryptionKey,
    async stop() {
      await Promise.all([a, b].map(({ db }) => db.destroy()))
      await Promise.all(programs.map(program => program.stop()))
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
