// Progress bars of the demo.
import { SingleBar } from 'cli-progress'

/** A progress bar. It appears at the first update. */
export interface Progress {
  update(done: number, total: number, status: string): void
  /** Changes only the text beside the bar. */
  say(status: string): void
  stop(): void
}

/** Creates a bar on standard output. If that is not a terminal, it prints a line per second instead. */
export function progress(): Progress {
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {value}/{total}  {status}',
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: process.stdout,
    linewrap: true,
    // The library's handler for signals would swallow Ctrl-C.
    gracefulExit: false,
    noTTYOutput: true,
    notTTYSchedule: 1000,
  })
  return {
    update(done, total, status) {
      if (!bar.isActive) return bar.start(total, done, { status })
      // Some jobs learn their total only while they run.
      bar.setTotal(total)
      bar.update(done, { status })
    },
    say: status => bar.update({ status }),
    stop: () => bar.stop(),
  }
}

/** Formats a number for people, such as 10,000. */
export const count = (number: number): string => number.toLocaleString('en')

/** Formats the seconds since a time of `performance.now()`, and the number of things per second. */
export function pace(things: number, since: number): { seconds: string; perSecond: string } {
  const seconds = (performance.now() - since) / 1000
  return { seconds: `${seconds.toFixed(1)} s`, perSecond: count(Math.round(things / seconds)) }
}
