// Restarts and upgrades of several processes, one after the other, under load.
import { test } from 'vitest'
import { startCluster, thisVersion, upgrade } from '../../support/cluster.js'
import { expectAllRight, more } from '../../support/rolling.js'
import { startTraffic } from '../../support/traffic.js'

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
})

test('a version takes over from the last release, with an old API beside a new worker and the other way round', async () => {
  const { from, to } = await upgrade()
  const cluster = await startCluster(from)
  try {
    const [oldApi, oldWorker] = await Promise.all([cluster.addApi(from), cluster.addWorker(from)])
    const traffic = await startTraffic(cluster.baseUrl)
    await more(traffic)
    await cluster.migrateTo(to)
    await more(traffic)

    const newWorker = await cluster.addWorker(to)
    await oldWorker.stop()
    await more(traffic)

    const oldWorkerAgain = await cluster.addWorker(from)
    await newWorker.stop()
    await cluster.addApi(to)
    await oldApi.stop()
    await more(traffic)

    await cluster.addWorker(to)
    await oldWorkerAgain.stop()
    await more(traffic)
    await expectAllRight(cluster, traffic)
  } finally {
    await cluster.stop()
  }
})
