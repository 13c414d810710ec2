// Progress bars of the demo.
import { SingleBar } from 'cli-progress'

/** A progress bar, drawn from the first update on. */
export interface Progress {
  update(done: number, total: number, status: string): void
  /** Keeps what is drawn and says something else beside it. */
  say(status: string): void
  stop(): void
}

/** A bar on standard output. Where that is no terminal, it prints a line a second. */
export function progress(): Progress {
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {value}/{total}  {status}',
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: process.stdout,
    linewrap: true,
    // Its own handler would swallow Ctrl-C.
    gracefulExit: false,
    noTTYOutput: true,
    notTTYSchedule: 1000,
  })
  return {
    update(done, total, status) {
      if (!bar.isActive) return bar.start(total, done, { status })
      // It may become known only on the way.
      bar.setTotal(total)
      bar.update(done, { status })
    },
    say: status => bar.update({ status }),
    stop: () => bar.stop(),
  }
}

/** A number for people: 10,000. */
export const count = (number: number): string => number.toLocaleString('en')

/** The seconds since a moment of `performance.now()`, and how many things a second that was. */
export function pace(things: number, since: number): { seconds: string; perSecond: string } {
  const seconds = (performance.now() - since) / 1000
  return { seconds: `${seconds.toFixed(1)} s`, perSecond: count(Math.round(things / seconds)) }
}
