// The processor time of a child process.
import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second, on every machine. */
const msPerTick = 10

/** Processor time of a process in ms, of all its threads; undefined where the system does not tell it (no /proc), or it has ended. */
export function processorMs(pid: number): number | undefined {
  try {
    // The name of the program, in brackets, may have blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isNaN(ticks) ? undefined : ticks * msPerTick
  } catch {
    return undefined
  }
}
