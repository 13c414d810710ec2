// Logs as JSON lines, with redacted secrets.
import pino, { type Logger } from 'pino'

export type Log = Logger

/**
 * A process's log: JSON lines on standard output. Secrets are never passed to it; the redaction is the second lock. Lines are
 * written beside the work, many at once, at most 50 ms late; those that are left when the process ends.
 * @param idsOfTrace members of every line: where it stands in a trace.
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
 * An error without other people's data. A database error quotes the statement and its values, so only its code and
 * stack are logged.
 */
export function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: typeof error }
  const { code, sql } = error as { code?: unknown; sql?: unknown }
  const quotes = sql !== undefined
  const way = error.stack?.split('\n').filter(line => /^\s+at /.test(line))
  return {
    type: error.name,
    message: quotes ? `A statement failed: ${code}` : error.message,
    ...(code === undefined ? {} : { code }),
    ...(error.cause === undefined ? {} : { cause: loggable(error.cause) }),
    stack: way?.slice(0, 12).join('\n'),
  }
}
