// Measures this version beside the last release, as in a rolling upgrade.
import { Pool } from 'undici'
import { connect } from '../db/connect.js'
import { type Cluster, startCluster, thisVersion, upgrade, type Version } from '../test/support/cluster.js'
import { person } from '../test/support/people.js'
import type { Stack } from '../test/support/stack.js'
import { bulkPath } from '../test/support/subjects.js'
import { type Call, rate } from './calls.js'
import { line, median, thousands } from './measure.js'
import { type SeededTenant, seededTenant } from './people.js'

const clients = 8

/** An API and a worker of the last release with one of each of this version, beside two of each of this version. */
export async function benchVersions(_: Stack, short: boolean): Promise<void> {
  const calls = short ? 20 : 1_000
  const rounds = short ? 1 : 5
  console.log(`Two versions side by side, beside this version alone (${rounds} rounds, ${clients} callers)…`)
  const { from: last } = await upgrade()
  const [mixed, alone] = await Promise.all([startSide([last, thisVersion]), startSide([thisVersion, thisVersion])])
  try {
    for (const [name, { work, share }] of Object.entries(works)) {
      const figures: { mixed: number; alone: number }[] = []
      for (let round = -1; round < rounds; round++) {
        const of = (side: Side) => perSecond(side, n => work(`${round}-${n}`), Math.ceil(calls * share))
        const two = { mixed: await of(mixed), alone: await of(alone) }
        if (round >= 0) figures.push(two)
      }
      // Of each round by itself: the two stand beside each other in time.
      const ratio = median(figures.map(each => each.mixed / each.alone)).toFixed(2)
      const cells = [median(figures.map(each => each.mixed)), median(figures.map(each => each.alone))] as const
      line(`  ${name}`, `${thousands(cells[0])}/s`, `${thousands(cells[1])}/s`, ratio, '≥ 0.90')
    }
  } finally {
    await Promise.all([mixed.stop(), alone.stop()])
  }
}

const works: Record<string, { work: (name: string) => Call; share: number }> = {
  'a page of 50 subjects': { work: () => ({ method: 'GET', path: '/api/v2/subject?First=50' }), share: 1 },
  'a bulk of 20 people': {
    work: name => ({
      method: 'POST',
      path: bulkPath,
      body: JSON.stringify(Array.from({ length: 20 }, (_, n) => person(`${name}-${n}`, {}, ['unit-0']))),
    }),
    share: 0.3,
  },
  // More than a small bulk: a run of a worker.
  'a bulk of 1,001 places, a job of a worker': {
    work: name => ({
      method: 'PUT',
      path: '/api/v1/structuralEntity/bulk',
      body: JSON.stringify(Array.from({ length: 1_001 }, (_, n) => ({ ...place, Key: `${name}-${n}` }))),
    }),
    share: 0.03,
  },
}

const place = { DisplayName: 'a ward', StructureTypeKey: 'unit', ParentKey: 'unit-0' }

interface Side {
  cluster: Cluster
  tenant: SeededTenant
  apis: Pool[]
  stop(): Promise<void>
}

/** A cluster whose APIs and workers are of the two versions, after the migrations of this one. */
async function startSide(versions: readonly [Version, Version]): Promise<Side> {
  const cluster = await startCluster(versions[0])
  try {
    await cluster.migrateTo(thisVersion)
    const apis: Pool[] = []
    for (const version of versions) {
      const { ownUrl } = await cluster.addApi(version)
      apis.push(new Pool(ownUrl, { connections: clients / 2 }))
      await cluster.addWorker(version)
    }
    const db = connect(cluster.databaseUrl, { poolSize: 2 })
    const tenant = await seededTenant(cluster.baseUrl, db, 2_500, () => undefined).finally(() => db.destroy())
    const stop = async () => {
      await Promise.all(apis.map(api => api.close()))
      await cluster.stop()
    }
    return { cluster, tenant, apis, stop }
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

/** Calls a second of all callers together, who take the APIs by turns. */
async function perSecond({ apis, tenant }: Side, work: (n: number) => Call, calls: number): Promise<number> {
  const headers = { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' }
  const figures = await rate({ calls, clients }, async n => {
    const answer = await apis[n % apis.length]?.request({ ...work(n), headers })
    const text = await answer?.body.text()
    if (!answer || answer.statusCode >= 300) throw new Error(`${answer?.statusCode}: ${text?.slice(0, 500)}`)
  })
  return figures.perSecond
}
