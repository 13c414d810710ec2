// What upgrades under load share: the version before, and what has to be right at the end.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { expect } from 'vitest'
import { connect } from '../../db/connect.js'
import { release } from '../../db/migrations/release.js'
import { projectRoot } from '../../dev/programs.js'
import { type Cluster, type Version, versionOf } from './cluster.js'
import type { Traffic } from './traffic.js'
import { until } from './until.js'

/** The last release, built. */
export const lastRelease = (): Promise<Version> => versionOf(commitOf(release.version))

/** The commit of a version, as CHANGELOG.md names it. */
function commitOf(version: string): string {
  const changelog = readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8')
  const [, commit] = changelog.split(`## ${version} `)[1]?.match(/Commit `([0-9a-f]+)`/) ?? []
  if (!commit) throw new Error(`CHANGELOG.md names no commit of version ${version}`)
  return commit
}

/** Waits until the callers have done some more of everything. */
export async function more({ counts, faults }: Traffic): Promise<void> {
  const jobs = counts.jobs + 6
  await until('the callers go on', async () => counts.jobs >= jobs || faults.length > 0)
  expect(faults).toEqual([])
}

/** No call failed, every row is right, and every run of a job has ended. */
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
