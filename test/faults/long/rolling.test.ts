// Restarts and upgrades of several processes, one after the other, under load.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { release } from '../../../db/migrations/release.js'
import { projectRoot } from '../../../dev/programs.js'
import { type Cluster, startCluster, thisVersion, versionOf } from '../../support/cluster.js'
import { startTraffic, type Traffic } from '../../support/traffic.js'
import { until } from '../../support/until.js'

test('three APIs and three workers are restarted one after the other: no call fails, and all data is right', async () => {
  const cluster = await startCluster(thisVersion)
  try {
    const three = [1, 2, 3]
    const apis = await Promise.all(three.map(() => cluster.addApi(thisVersion)))
    const workers = await Promise.all(three.map(() => cluster.addWorker(thisVersion)))
    const traffic = await startTraffic(cluster.baseUrl)
    for (const api of apis) {
      await cluster.addApi(thisVersion)
      await api.stop()
      await more(traffic)
    }
    for (const worker of workers) {
      await cluster.addWorker(thisVersion)
      await worker.stop()
      await more(traffic)
    }
    await expectAllRight(cluster, traffic)
  } finally {
    await cluster.stop()
  }
}, 600_000)

test('this version takes over from the last release: old API and new worker, then new API and old worker', async () => {
  const last = await versionOf(commitOf(release.version))
  const cluster = await startCluster(last)
  try {
    const [oldApi, oldWorker] = await Promise.all([cluster.addApi(last), cluster.addWorker(last)])
    const traffic = await startTraffic(cluster.baseUrl)
    await more(traffic)
    await cluster.migrateTo(thisVersion)
    await more(traffic)

    const newWorker = await cluster.addWorker(thisVersion)
    await oldWorker.stop()
    await more(traffic)

    const oldWorkerAgain = await cluster.addWorker(last)
    await newWorker.stop()
    await cluster.addApi(thisVersion)
    await oldApi.stop()
    await more(traffic)

    await cluster.addWorker(thisVersion)
    await oldWorkerAgain.stop()
    await more(traffic)
    await expectAllRight(cluster, traffic)
  } finally {
    await cluster.stop()
  }
}, 600_000)

/** The commit of a version, as CHANGELOG.md names it. */
function commitOf(version: string): string {
  const changelog = readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8')
  const [, commit] = changelog.split(`## ${version} `)[1]?.match(/Commit `([0-9a-f]+)`/) ?? []
  if (!commit) throw new Error(`CHANGELOG.md names no commit of version ${version}`)
  return commit
}

/** Waits until the callers have done some more of everything. */
async function more({ counts, faults }: Traffic): Promise<void> {
  const jobs = counts.jobs + 6
  await until('the callers go on', async () => counts.jobs >= jobs || faults.length > 0)
  expect(faults).toEqual([])
}

/** No call failed, every row is right, and every run of a job has ended. */
async function expectAllRight(cluster: Cluster, traffic: Traffic): Promise<void> {
  await traffic.stop()
  console.log(`${traffic.counts.calls} calls, ${traffic.counts.jobs} jobs, ${traffic.faults.length} faults`)
  expect(traffic.faults).toEqual([])
  const db = connect(cluster.databaseUrl, { poolSize: 2 })
  const connection = await Connection.connect({ address: cluster.temporalAddress })
  try {
    expect(await traffic.differences(db)).toEqual([])
    const { workflow } = new Client({ connection })
    const query = `JobId IS NOT NULL AND ExecutionStatus != 'Completed'`
    await until('every run has ended', async () => (await workflow.count(query)).count === 0, 30_000)
  } finally {
    await db.destroy()
    await connection.close()
  }
}
