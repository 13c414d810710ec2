// An installation that grows on Vitess: a MySQL that runs becomes a keyspace, the tables of tenants move into another one, and that is
// split in two, while callers accept no failure. Before and after it, processes are killed. `npm run test:vitess -- --faults`.
import { resolve } from 'node:path'
import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { type MysqlServer, startMysql } from '../../../dev/mysql-chroot.js'
import { serverSettings, startVitess, type Vitess } from '../../../dev/vitess.js'
import { projectRoot } from '../../../runtime/process/version.js'
import { api, tokenOf } from '../../support/api.js'
import { isVitess } from '../../support/database-servers.js'
import { tenantWithPlaces } from '../../support/factories.js'
import { acceptBulk, ended, type JobBody, jobRow, kill, placesOf } from '../../support/faults.js'
import { asDataPoints, expectedRows, readRows, startProvider, vaccinationTenant } from '../../support/provider.js'
import type { Victim } from '../../support/running-stack.js'
import { type Stack, startStack } from '../../support/stack.js'
import { startTraffic } from '../../support/traffic.js'
import { transferUnderFire } from '../../support/transfer-faults.js'
import { until } from '../../support/until.js'
import { moveTenants, reshard } from '../../support/vitess.js'

const dataDir = resolve(projectRoot, process.env.DATA_DIR || '.data')
const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`)

let vitess: Vitess
let stack: Stack
let db: Knex

/** Starts the platform on the cluster. */
async function startOn(started: Vitess, env: NodeJS.ProcessEnv = {}): Promise<void> {
  vitess = started
  stack = await startStack(env, { database: { url: vitess.url, process: vitess.gate } })
  db = connect(vitess.url, { poolSize: 4 })
}
async function stop(): Promise<void> {
  await db?.destroy()
  await stack?.stop()
  await vitess?.stop()
}

const killed = async (victim: Victim) => {
  log(`kill ${victim.name}`)
  await kill(victim)
  await answers()
}
/** Waits until all shards answer. */
const answers = () =>
  until('all shards answer', () =>
    db('tenants')
      .count({ n: '*' })
      .catch(() => undefined),
  )

async function bulk(victims: readonly Victim[]): Promise<void> {
  const { tenant, model } = await tenantWithPlaces(stack.baseUrl)
  const batch = placesOf(60_000, 3)
  model.apply(batch)
  const { jobId } = await acceptBulk(tenant, batch)
  for (const [n, victim] of victims.entries()) {
    await until('the bulk goes on', async () => {
      const job = await jobRow(db, tenant.tenantKey).catch(() => undefined)
      if (job && job.done === job.total) throw new Error(`It was done before the kill of ${victim.name}`)
      return job && job.done >= job.total * (0.1 + n / 10)
    })
    log(`kill ${victim.name}`)
    // Does not wait until all shards answer: the job may be on one that was not killed, and would be done by then.
    await kill(victim)
  }
  await answers()
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 60_000 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
}

async function refresh(victims: readonly Victim[]): Promise<void> {
  const provider = await startProvider({ people: 100, doses: 136, ports: stack.providerPorts })
  try {
    const tenant = await vaccinationTenant(provider, { baseUrl: stack.baseUrl, change: asDataPoints })
    const wanted = expectedRows(provider)
    provider.tell({ slowMs: 100 })
    const path = '/api/v1/dataSet/vaccinations/refresh'
    const { body } = await tenant.post<JobBody>(path, undefined, { prefer: 'respond-async' })
    for (const [n, victim] of victims.entries()) {
      await until('the refresh goes on', async () => {
        const job = await jobRow(db, tenant.tenantKey).catch(() => undefined)
        return job?.id === body.jobId && job.done >= wanted.length * (0.1 + n / 5)
      })
      await killed(victim)
    }
    expect(await ended(tenant, body.jobId)).toMatchObject({ status: 'Completed', counts: { rows: wanted.length } })
    expect(await readRows(tenant)).toEqual(wanted)
  } finally {
    await provider.stop()
  }
}

async function transfer(victims: readonly Victim[]): Promise<void> {
  const [first, second] = victims
  await transferUnderFire(stack, db, {
    mode: 'Move',
    count: 100_000,
    kills: [
      [0.1, first],
      [0.4, second],
    ],
    undoKills: [[0.3, victims.at(-1)]],
  })
  await answers()
}

/** The processes of a shard, and VTGate. */
const processesOf = (shard: string): [Victim, Victim, Victim] => {
  const found = vitess.shards[shard]
  if (!found) throw new Error(`There is no ${shard}`)
  return [found.mysql.process, vitess.gate, found.tablet]
}

describe.skipIf(!isVitess)('an installation grows on Vitess (skipped without `npm run test:vitess`)', () => {
  let mysql: MysqlServer
  /** Written while there was only MySQL: the rows of a tenant, and what they must be. */
  let early: Awaited<ReturnType<typeof tenantWithPlaces>>

  beforeAll(async () => {
    mysql = await startMysql({ dataDir, name: '-ordinary', binaryLog: true, settings: serverSettings, log })
    const ENCRYPTION_KEY = Buffer.alloc(32).toString('base64')
    const ordinary = await startStack({ ENCRYPTION_KEY }, { database: mysql })
    try {
      early = await tenantWithPlaces(ordinary.baseUrl)
      const batch = placesOf(5_000, 1)
      early.model.apply(batch)
      expect((await early.tenant.put('/api/v1/structuralEntity/bulk', batch)).status).toBeLessThan(300)
    } finally {
      await ordinary.stop()
    }
    await startOn(await startVitess({ dataDir, mysql, log }), { ENCRYPTION_KEY })
  }, 900_000)
  afterAll(async () => {
    await stop()
    await mysql?.stop()
  })

  /** Does something while callers write and read, none of whom may be refused, and compares their data. */
  async function underLoad(act: () => Promise<void>): Promise<void> {
    // Not more than the copies, which apply changes row by row, can keep up with.
    const traffic = await startTraffic(stack.baseUrl, { pauseMs: 3_000, mostPeople: 100 })
    try {
      await act()
    } finally {
      await traffic.stop()
    }
    log(`${traffic.counts.calls} calls, ${traffic.counts.jobs} jobs; refused: ${traffic.faults.join('; ') || 'none'}`)
    expect(await traffic.differences(db)).toEqual([])
    expect(await early.model.differences(db, early.tenant.tenantKey)).toEqual([])
    expect(traffic.faults).toEqual([])
  }

  test('what was written before Vitess is there', async () => {
    expect(await early.model.differences(db, early.tenant.tenantKey)).toEqual([])
    const { tenantKey, clientId, clientSecret } = early.tenant
    const token = await tokenOf(stack.baseUrl, { tenantKey, id: clientId, secret: clientSecret, scope: 'FrameApi' })
    const tenant = api(stack.baseUrl, token)
    const { status, body } = await tenant.get<{ PageInfo: { TotalCount: number } }>('/api/v1/structuralEntity?First=1')
    expect({ status, total: body.PageInfo.TotalCount }).toEqual({ status: 200, total: 5_000 })
  })

  test('the tables of tenants move into a keyspace of one shard under load, and nothing is lost', () =>
    underLoad(() => moveTenants(vitess, log)))

  test('that shard is split in two under load, and nothing is lost', () => underLoad(() => reshard(vitess, log)))
})

describe.skipIf(!isVitess)('processes of Vitess are killed (skipped without `npm run test:vitess`)', () => {
  describe.each([
    ['one keyspace', {}, ['armature/0']],
    ['two shards', { shards: ['tenants/-80', 'tenants/80-'], sharded: true }, ['tenants/-80', 'tenants/80-']],
  ] as const)('%s', (_, options, shards) => {
    const victims = (): Victim[] => shards.flatMap(processesOf)
    beforeAll(async () => startOn(await startVitess({ dataDir, log, ...options })), 900_000)
    afterAll(stop)

    test('a bulk during which they are killed writes every row once', () => bulk(victims()))

    test('a transfer and its undo during which they are killed: every assignment is right', () => transfer(victims()))

    test('a refresh during which they are killed has the rows of the provider', () => refresh(victims().slice(0, 4)))
  })
})
