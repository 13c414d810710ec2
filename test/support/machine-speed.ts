// Compares the speed of this machine with that of the machine that limits were set on.
import { readFileSync } from 'node:fs'
import { platform } from 'node:os'

/**
 * Returns the processor time of a process's main thread in ms, without that of threads for garbage collection or compression. Systems
 * other than Linux do not tell it, so the time of the clock is returned there.
 */
export const mainThreadMs = (pid: number | undefined): number => scheduledMs(pid)?.[0] ?? performance.now()

/** Returns for how long a process's main thread had work, and other processes had the processors, in ms: 0 on systems other than Linux. */
export const turnlessMs = (pid: number | undefined): number => scheduledMs(pid)?.[1] ?? 0

function scheduledMs(pid: number | undefined): number[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')
      .split(' ')
      .map(ns => Number(ns) / 1e6)
  } catch (error) {
    if (platform() === 'linux') throw error
    return undefined
  }
}

const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `c${n}`, label: `Control ${n}`, path: [n, n + 1] }))
/** Processor time that `times` copies of the rows take on the reference machine, on which the limits were set, in ms. */
const usualMs = 60
const times = 5

/**
 * Returns how many times slower this machine currently is than the reference machine, at least 1. Limits in ms are those of
 * the reference machine, so divide measured times by this factor.
 */
export function slowness(): number {
  const used = mainThreadMs(process.pid)
  for (let n = 0; n < times; n++) JSON.parse(JSON.stringify(rows))
  return Math.max(1, (mainThreadMs(process.pid) - used) / usualMs)
}
