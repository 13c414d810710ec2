// The name of this process in reports to MySQL.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

/** Tells this process from all others, also from one before it that had the same id on the same machine. */
export const processName = `${hostname()}/${process.pid}/${randomBytes(3).toString('hex')}`
