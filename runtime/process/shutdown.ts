// The shutdown signal of this process.
import type { Log } from '../observe/log.js'

const asked = new AbortController()
/** Aborted when this process is asked to stop: work that never ends has to end now. */
export const stopping = asked.signal

/**
 * Runs `shutdown` once, at the first signal or when the supervisor of this process is gone, and ends the process. The process ends
 * 10 s later in any case.
 * @param drainMs how much longer `shutdown` may take, because it serves callers first.
 */
export function onShutdown(log: Log, shutdown: () => Promise<void>, drainMs = 0): void {
  const stop = (reason: string) => {
    if (stopping.aborted) return
    asked.abort()
    log.info({ reason }, 'stopping')
    setTimeout(() => process.exit(1), drainMs + 10_000).unref()
    shutdown().then(
      () => process.exit(0),
      err => {
        log.error({ err }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
  process.once('disconnect', () => stop('the supervisor is gone'))
}
