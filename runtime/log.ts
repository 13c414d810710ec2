import pino, { type Logger } from 'pino'

export type Log = Logger

/** A process's log: JSON lines on standard output. Secrets are never passed to it; the redaction is the second lock. */
export const createLog = (service: string, level: string): Log =>
  pino({
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }) },
    redact: ['*.authorization', '*.password', '*.secret', '*.client_secret', 'req.headers'],
  })
