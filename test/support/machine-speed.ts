// Compares the speed of this machine with that of the machine that limits were set on.
import { readFileSync } from 'node:fs'
import { platform } from 'node:os'

/** Processor time of a process's main thread, in ms: no garbage collector and no compression. Only Linux tells. */
export function mainThreadMs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch (error) {
    if (platform() === 'linux') throw error
    return performance.now()
  }
}

const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `c${n}`, label: `Control ${n}`, path: [n, n + 1] }))
/** Processor time of `times` copies of the rows on the machine that limits were set on, in ms. */
const usualMs = 60
const times = 5

/**
 * How many times as long this machine takes for the same work at the moment; 1 for a faster machine. A limit in ms is one
 * of the usual machine: divide by this what was measured.
 */
export function slowness(): number {
  const used = mainThreadMs(process.pid)
  for (let n = 0; n < times; n++) JSON.parse(JSON.stringify(rows))
  return Math.max(1, (mainThreadMs(process.pid) - used) / usualMs)
}
