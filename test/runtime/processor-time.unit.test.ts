// Processor time of processes.
import { expect, test } from 'vitest'
import { processorMs } from '../../runtime/process/processor-time.js'

test('the processor time of a process grows with its work', () => {
  const before = processorMs(process.pid)
  const { user, system } = process.cpuUsage()
  expect(before, 'as the process itself counts').toBeGreaterThan((user + system) / 1_000 - 100)
  // By this process's own count: on a busy machine it may get little of 100 ms.
  const work = () => process.cpuUsage().user + process.cpuUsage().system - user - system
  while (work() < 100_000) {}
  expect(processorMs(process.pid)).toBeGreaterThan(before ?? Number.NaN)
})

test('a process that is not there has none', () => {
  expect(processorMs(2 ** 22 + 1)).toBeUndefined()
})
