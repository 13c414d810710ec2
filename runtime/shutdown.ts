// The shutdown signal of this process.
import type { Log } from './log.js'

const asked = new AbortController()
/** Aborted when this process is asked to stop: work that never ends has to end now. */
export const stopping = asked.signal

/**
 * Runs `shutdown` once, at the first signal or when the supervisor of this process is gone, and ends the process. After
 * 10 s the process ends in any case.
 */
export function onShutdown(log: Log, shutdown: () => Promise<void>): void {
  const stop = (reason: string) => {
    if (stopping.aborted) return
    asked.abort()
    log.info({ reason }, 'stopping')
    setTimeout(() => process.exit(1), 10_000).unref()
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
