// Large work that gives way to calls of others.
import { setImmediate as nextPass } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEventLoopQueue } from '../../runtime/load/event-loop-queue.js'
import { createInFlightCalls, type InFlightCalls } from '../../runtime/load/in-flight-calls.js'

let calls: InFlightCalls
let begun: number
let turn: () => Promise<void>
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  calls = createInFlightCalls(100)
  begun = 0
  const passes = createEventLoopQueue({ to: calls, ms: 10 })
  turn = () => passes.turn().then(() => void begun++)
})
afterEach(() => void vi.useRealTimers())

/** Every turn that may begin has begun. */
const settled = async () => {
  for (let pass = 0; pass < 5; pass++) await nextPass()
}

test('beside no call, turns are granted in passes', async () => {
  for (let n = 0; n < 3; n++) void turn()
  await settled()
  expect(begun).toBe(3)
})

test('a turn waits while a call is under way, and begins behind its answer', async () => {
  const end = calls.begin()
  void turn()
  await settled()
  expect(begun).toBe(0)
  end()
  await Promise.resolve()
  expect(begun, 'the answer is not written yet').toBe(0)
  await settled()
  expect(begun).toBe(1)
})

test('beside calls that never cease, a turn is granted every 10 ms', async () => {
  calls.begin()
  for (let n = 0; n < 3; n++) void turn()
  for (const expected of [1, 2, 3]) {
    await vi.advanceTimersByTimeAsync(9)
    expect(begun).toBe(expected - 1)
    await vi.advanceTimersByTimeAsync(1)
    await settled()
    expect(begun).toBe(expected)
  }
})

test('the next call is waited for as the one before', async () => {
  const [one, two] = [calls.begin(), calls.begin()]
  void turn()
  one()
  await settled()
  expect(begun).toBe(0)
  two()
  await settled()
  expect(begun).toBe(1)
})

test('a call of more than 100 ms waits for something else, and nothing gives way to it', async () => {
  const end = calls.begin()
  await vi.advanceTimersByTimeAsync(101)
  void turn()
  await settled()
  expect(begun).toBe(1)
  end()
})
