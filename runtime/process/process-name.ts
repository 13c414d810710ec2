// Names this process in reports to MySQL.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

/** Unique to this process. The random part tells it from an earlier process with the same id on the same machine. */
export const processName = `${hostname()}/${process.pid}/${randomBytes(3).toString('hex')}`
