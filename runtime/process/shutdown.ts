// Shuts this process down when it is asked to stop.
import type { Log } from '../observe/log.js'

const asked = new AbortController()
/** Aborted when this process is asked to stop. Work that would run forever must end then. */
export const stopping = asked.signal

/**
 * Runs `shutdown` once, at the first signal or when the supervisor of this process is gone, and then exits. If
 * `shutdown` does not finish, the process exits 10 s later.
 * @param drainMs additional time for `shutdown`, because it first goes on serving callers.
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
