// Shared checks for tests of upgrades under load: the progress of the callers, and the state at the end.
import { Client, Connection } from '@temporalio/client'
import { expect } from 'vitest'
import { connect } from '../../db/connect.js'
import type { Cluster } from './cluster.js'
import type { Traffic } from './traffic.js'
import { until } from './until.js'

/** Waits until the callers have done some more of everything. */
export async function more({ counts, faults }: Traffic): Promise<void> {
  const jobs = counts.jobs + 6
  await until('the callers go on', async () => counts.jobs >= jobs || faults.length > 0)
  expect(faults).toEqual([])
}

/** Asserts that no call failed, every row is right, and every run of a job has ended. */
export async function expectAllRight(cluster: Cluster, traffic: Traffic): Promise<void> {
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
