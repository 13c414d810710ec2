// An ALTER that waits behind an open transaction, as of a dump: everything that needs its table waits behind it.
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { tenantWithPlaces, tenantWithWards } from '../../support/factories.js'
import { ended, placesOf } from '../../support/faults.js'
import { seedLocations } from '../../support/locations.js'
import { sharedStack } from '../../support/running-stack.js'
import { startTransfer } from '../../support/transfers.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
const db = connect(stack.databaseUrl, { poolSize: 2, silenceTimeoutMs: 600_000, lockWaitSeconds: 300 })
afterAll(() => db.destroy())

const heldMs = 20_000
const jobs = 4

test('transfers that wait behind an ALTER hold up no bulk of another tenant, and their attempts do not pile up', async () => {
  const stuck = await tenantWithWards(stack.baseUrl, 'east', 'west')
  await seedLocations(db, stuck.tenantKey, 'east', { count: 100_000 })
  const { tenant: other } = await tenantWithPlaces(stack.baseUrl)
  let seed = 0
  /** Time of a bulk of 25, in ms. */
  const bulk = async () => {
    const from = performance.now()
    const answer = await other.put('/api/v1/structuralEntity/bulk', placesOf(25, seed++))
    expect(answer.status).toBe(204)
    return performance.now() - from
  }
  const times = async (until: () => boolean) => {
    const all: number[] = []
    do all.push(await bulk())
    while (!until())
    return all.sort((a, b) => a - b)[Math.floor(all.length * 0.95)] ?? 0
  }
  const ready = performance.now() + 5_000
  const quiet = await times(() => performance.now() > ready)

  const started = await Promise.all(Array.from({ length: jobs }, () => startTransfer(stuck, 'east', 'west', 'Copy')))
  const dump = await db.transaction()
  await dump('subject_locations').first('tenant_id')
  onTestFinished(async () => {
    if (!dump.isCompleted()) await dump.rollback()
  })
  const alter = db.raw('ALTER TABLE subject_locations ADD COLUMN alter_test INT NULL').then(() => undefined)
  const waiting = async (info: string): Promise<number> => {
    const state = { state: 'Waiting for table metadata lock' }
    return (await dump('information_schema.processlist').where(state).where('info', 'like', info)).length
  }
  await until('the ALTER waits', async () => (await waiting('ALTER%')) === 1)

  await until('a step waits behind it', async () => (await waiting('%')) > 1)
  let max = 0
  const released = performance.now() + heldMs
  const watched = (async () => {
    while (performance.now() < released) max = Math.max(max, await waiting('%'))
  })()
  const beside = await times(() => performance.now() > released)
  await watched
  await dump.rollback()
  await alter
  await db.raw('ALTER TABLE subject_locations DROP COLUMN alter_test')

  // The ALTER, and at most a third of the connections of a worker: its writers of one tenant.
  expect(max).toBeLessThanOrEqual(1 + 7)
  expect(beside).toBeLessThanOrEqual(Math.max(3 * quiet, 500))
  for (const { jobId } of started) expect(await ended(stuck, jobId)).toMatchObject({ status: 'Completed' })
})
