// Statistics and output of the benchmarks.
import { readFileSync } from 'node:fs'

/** The value that so many per cent do not exceed. */
export const percentile = (values: readonly number[], percent: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor((values.length * percent) / 100))] ??
  Number.NaN

/** The middle value. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Another database on the same server, which our user may make. */
export function scratchUrl(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.pathname = `/armature_bench_${name}`
  return url.href
}

/** One line of the report: the figure, its floor, their ratio and the bar it is to reach. */
export function line(what: string, ours: string, floor: string, ratio: string, goal: string): void {
  console.log(`${what.padEnd(46)}${ours.padStart(16)}${floor.padStart(16)}${ratio.padStart(10)}   ${goal}`)
}

/** Processor time of a process' main thread so far, in ms; the kernel counts in ticks of 10 ms. */
export const processorTime = (pid: number | undefined): number => timeIn(`/proc/${pid}/task/${pid}/stat`)

/** Processor time of all threads of a process so far, in ms. */
export const processorTimeOfAll = (pid: number | undefined): number => timeIn(`/proc/${pid}/stat`)

function timeIn(file: string): number {
  const [, figures = ''] = readFileSync(file, 'utf8').split(') ')
  const [user, system] = figures.split(' ').slice(11)
  return (Number(user) + Number(system)) * 10
}

export const thousands = (value: number): string => Math.round(value).toLocaleString('en')

/** Memory of a process in MB: what it has now, or the most that it ever had. */
export function memory(pid: number | undefined, figure: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`${figure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** The number of an option such as `--subjects=100000`; undefined where the command has none. */
export function numberAsked(option: string): number | undefined {
  const asked = process.argv.find(each => each.startsWith(`--${option}=`))
  return asked === undefined ? undefined : Number(asked.slice(asked.indexOf('=') + 1))
}
