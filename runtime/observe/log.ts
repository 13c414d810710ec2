// Writes logs as JSON lines and redacts secrets.
import pino, { type Logger } from 'pino'

export type Log = Logger

/**
 * Creates the log of a process, which writes JSON lines to standard output. Secrets must never be passed to it; the
 * redaction is only a second safeguard. Lines are buffered and written at most 50 ms late, and the rest when the
 * process exits.
 * @param idsOfTrace returns members to add to every line, such as the ids of the active trace.
 */
export const createLog = (service: string, level: string, idsOfTrace: (() => object) | undefined = undefined): Log =>
  pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      redact: ['*.authorization', '*.password', '*.secret', '*.client_secret', 'req.headers'],
      serializers: { err: loggable },
      ...(idsOfTrace ? { mixin: idsOfTrace } : {}),
    },
    pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 50 }),
  )

/**
 * Returns the loggable parts of an error. A database error quotes its statement with all values, and an author's `$error`
 * may quote them too, so only their codes and stacks are logged.
 */
export function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: typeof error }
  const { code, sql } = error as { code?: unknown; sql?: unknown }
  const quotes = sql !== undefined
  const way = error.stack?.split('\n').filter(line => /^\s+at /.test(line))
  return {
    type: error.name,
    message: quotes ? `A statement failed: ${code}` : code === 'step-error' ? "A step's own error" : error.message,
    ...(code === undefined ? {} : { code }),
    ...(error.cause === undefined ? {} : { cause: loggable(error.cause) }),
    stack: way?.slice(0, 12).join('\n'),
  }
}
