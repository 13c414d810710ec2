// The choice of the server that a read is done at.
import knex from 'knex'
import pino from 'pino'
import { expect, test } from 'vitest'
import { createClock } from '../../db/replica-heartbeats.js'
import { chooseReads, type Moment, noReplicas, OnlyPrimary, primaryOf, type Replica } from '../../db/replicas.js'
import { notFound } from '../../runtime/problems/problem.js'

/** A pool that never connects. */
const server = () => knex({ client: 'mysql2' })
const primary = server()
const maxLagMs = 2_000

/** A process that has seen these heartbeats, at the time 10,000. */
function process(...beats: (Moment | undefined)[]) {
  const replicas = beats.map(
    (beat, n): Replica => ({ name: String(n + 1), db: server(), beat, isAway: false, life: new AbortController() }),
  )
  const clock: { now: Moment | undefined } = { now: 10_000 }
  const lines: string[] = []
  const log = pino({}, { write: line => lines.push(line) })
  const reads = chooseReads({ primary, replicas, now: () => clock.now, maxLagMs, log })
  /** Which server each of some reads is done at. */
  const chosen = async (since?: Moment, count = 6) => {
    const names = new Set<string>()
    for (let n = 0; n < count; n++)
      names.add(await reads.by('test', since)(async db => replicas.find(each => each.db === db)?.name ?? 'primary'))
    return [...names].sort()
  }
  return { replicas, clock, lines, reads, chosen }
}

test('reads go to all replicas that are fresh enough, and to no other', async () => {
  expect(await process(9_900, 9_000, 8_000).chosen()).toEqual(['1', '2', '3'])
  expect(await process(9_900, 7_999, undefined).chosen()).toEqual(['1'])
  expect(await process(7_999, undefined).chosen()).toEqual(['primary'])
})

test('a read that must see a commit goes to a replica whose heartbeat is not older, or to the primary', async () => {
  expect(await process(9_900, 9_500).chosen(9_500)).toEqual(['1', '2'])
  expect(await process(9_900, 9_500).chosen(9_501)).toEqual(['1'])
  expect(await process(9_900, 9_500).chosen(9_901)).toEqual(['primary'])
  expect(await process(9_900, 9_500).chosen(Number.POSITIVE_INFINITY)).toEqual(['primary'])
})

test('a replica with a heartbeat from the future is not read, since the clock was set back', async () => {
  expect(await process(10_001).chosen()).toEqual(['primary'])
})

test('until the primary has answered once, all reads go to it', async () => {
  const { clock, chosen } = process(9_900)
  clock.now = undefined
  expect(await chosen()).toEqual(['primary'])
})

const outage = Object.assign(new Error('gone'), { code: 'PROTOCOL_CONNECTION_LOST' })

test('a read that takes a replica too long is not repeated at the primary, and the replica stays in use', async () => {
  const of = process(9_900)
  let reads = 0
  const reading = of.reads.by('test')(async () => {
    reads++
    throw Object.assign(new Error('took too long'), { errno: 1969 })
  })
  await expect(reading).rejects.toThrow('took too long')
  expect([reads, of.replicas[0]?.isAway]).toEqual([1, false])
})

test.each([
  ['an outage', outage, true, 1],
  ['a table that is not there yet', Object.assign(new Error('no table'), { code: 'ER_NO_SUCH_TABLE' }), false, 1],
  ['a refusal', notFound('not yet'), false, 0],
  ['a read that only the primary can do', new OnlyPrimary(), false, 0],
])('after %s at a replica the primary answers', async (_, error, isAway, lines) => {
  const of = process(9_900)
  const at: unknown[] = []
  const answer = await of.reads.by('test')(async db => {
    at.push(db)
    if (db !== primary) throw error
    return 'the answer'
  })
  expect([answer, at]).toEqual(['the answer', [of.replicas[0]?.db, primary]])
  expect([of.replicas[0]?.isAway, of.lines.length]).toEqual([isAway, lines])
  expect(await of.chosen()).toEqual([isAway ? 'primary' : '1'])
})

test('a read under way at a replica that hangs is done at the primary once its heartbeat cannot be read', async () => {
  const of = process(9_900)
  const reading = of.reads.by('test')(async db =>
    db === primary ? 'the answer' : new Promise<string>(() => undefined),
  )
  of.replicas[0]?.life.abort(outage)
  expect(await reading).toBe('the answer')
})

test('a read that fails at the primary is not repeated', async () => {
  let tries = 0
  const read = process().reads.by('test')
  const failing = read(async () => {
    tries++
    throw outage
  })
  await expect(failing).rejects.toBe(outage)
  expect(tries).toBe(1)
})

test('each replica has a state, and its lag', () => {
  const of = process(9_900, 7_000, undefined, 9_900)
  const [last] = of.replicas.slice(-1)
  if (last) last.isAway = true
  expect(of.reads.replicas()).toEqual([
    { name: '1', state: 'used', lagMs: 100 },
    { name: '2', state: 'behind', lagMs: 3_000 },
    { name: '3', state: 'away', lagMs: undefined },
    { name: '4', state: 'away', lagMs: 100 },
  ])
})

test('the primary of a replica is found, and that of the primary is itself', () => {
  const of = process(9_900)
  expect(of.replicas.map(({ db }) => primaryOf(db) === primary)).toEqual([true])
  expect(primaryOf(primary)).toBe(primary)
})

test('without replicas every read is done at the primary, and no moment is known', async () => {
  const reads = noReplicas(primary)
  expect(await reads.by('test', 5)(async db => db === primary)).toBe(true)
  expect([await reads.now(), reads.replicas()]).toEqual([undefined, []])
})

test('the clock is never behind that of the primary, which answers after it was asked, in whole milliseconds', () => {
  let own = 0
  const clock = createClock(() => own)
  expect(clock.now()).toBeUndefined()
  // Asked at 100, answered at 140: the primary said 5,000 at any time in between, maybe after another 0.9 ms of its own.
  clock.set(5_000, 100)
  for (const answered of [100, 120, 140]) {
    own = answered
    expect(clock.now()).toBeGreaterThanOrEqual(5_000.9)
  }
  own = 60_100
  // The other clock may be faster.
  expect(clock.now()).toBeGreaterThanOrEqual(65_000 + 30)
})
