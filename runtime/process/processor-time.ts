// Reads the processor time of a child process.
import { readFileSync } from 'node:fs'

/** Linux reports processor time in hundredths of a second on every machine. */
const msPerTick = 10

/**
 * Returns the processor time that all threads of a process have used, in ms. Returns undefined if the process has
 * ended, or if the system does not provide the figure (no /proc).
 */
export function processorMs(pid: number): number | undefined {
  try {
    // The program's name, in brackets, may contain spaces, so the fields are counted from behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isNaN(ticks) ? undefined : ticks * msPerTick
  } catch {
    return undefined
  }
}
