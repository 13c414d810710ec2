// Statistics and output for the benchmarks.
import { readFileSync } from 'node:fs'

/** Returns the percentile: the value that this percentage of the values does not exceed. */
export const percentile = (values: readonly number[], percent: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor((values.length * percent) / 100))] ??
  Number.NaN

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Returns the URL of another database on the same server, which our user may create. */
export function scratchUrl(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.pathname = `/armature_bench_${name}`
  return url.href
}

/** Prints one line of the report: the figure, its floor, their ratio and the goal. */
export function line(what: string, ours: string, floor: string, ratio: string, goal: string): void {
  console.log(`${what.padEnd(46)}${ours.padStart(16)}${floor.padStart(16)}${ratio.padStart(10)}   ${goal}`)
}

/**
 * Returns the processor time that a process's main thread has used so far, in ms. The kernel counts in ticks of 10 ms.
 */
export const processorTime = (pid: number | undefined): number => timeIn(`/proc/${pid}/task/${pid}/stat`)

/** Returns the processor time that all threads of a process have used so far, in ms. */
export const processorTimeOfAll = (pid: number | undefined): number => timeIn(`/proc/${pid}/stat`)

function timeIn(file: string): number {
  const [, figures = ''] = readFileSync(file, 'utf8').split(') ')
  const [user, system] = figures.split(' ').slice(11)
  return (Number(user) + Number(system)) * 10
}

export const thousands = (value: number): string => Math.round(value).toLocaleString('en')

/** Returns the memory of a process in MB: what it uses now (VmRSS), or the most it has ever used (VmHWM). */
export function memory(pid: number | undefined, figure: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`${figure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** Reads the number of an option such as `--subjects=100000`. Returns undefined if the command does not have it. */
export function numberAsked(option: string): number | undefined {
  const asked = process.argv.find(each => each.startsWith(`--${option}=`))
  return asked === undefined ? undefined : Number(asked.slice(asked.indexOf('=') + 1))
}
