// Checks, before a program begins, whether its database can be reached.
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import type { Log } from '../runtime/observe/log.js'
import type { Config } from '../runtime/settings/config.js'
import { readDatabaseUrl } from '../runtime/settings/database-url.js'
import { WrongSetting } from '../runtime/settings/wrong-setting.js'
import { requireTemporal } from '../runtime/temporal/reachable.js'

const timeoutMs = 5_000

/** The database cannot be used. The message is for the operator: it names the setting and the next step, and no password. */
export class NoDatabase extends Error {
  override readonly name = 'NoDatabase'
}

/**
 * Connects to a database once.
 * @param setting name of the setting with the address.
 * @throws NoDatabase
 */
export async function requireDatabase(databaseUrl: string, setting = 'DATABASE_URL'): Promise<void> {
  const { uri, ssl } = readDatabaseUrl(databaseUrl, setting)
  try {
    const connection = await createConnection({ uri, ...(ssl ? { ssl } : {}), connectTimeout: timeoutMs })
    const [[row]] = await connection.query<VersionRow[]>('SELECT VERSION() AS version')
    await connection.end()
    requireVersion(row?.version ?? '', setting)
  } catch (error) {
    if (error instanceof NoDatabase) throw error
    throw new NoDatabase(`${setting}: ${reason(error, new URL(uri))}`, { cause: error })
  }
}

interface VersionRow extends RowDataPacket {
  version: string
}

/** @throws NoDatabase for a server that is older than those we test with. @param version such as `11.8.3-MariaDB` or `8.4.6`. */
export function requireVersion(version: string, setting: string): void {
  const [major = 0, minor = 0] = version.split('.').map(part => Number.parseInt(part, 10))
  const [name, ...oldest] = version.includes('MariaDB') ? (['MariaDB', 10, 11] as const) : (['MySQL', 8, 4] as const)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return
  throw new NoDatabase(
    `${setting}: the server is ${name} ${major}.${minor}, which is too old. Use MySQL 8.4 or MariaDB 10.11, or a later one.`,
  )
}

function reason(error: unknown, { hostname, port, username, pathname }: URL): string {
  const server = `${hostname}:${port || 3306}`
  const user = `the user '${decodeURIComponent(username)}'`
  const database = decodeURIComponent(pathname.slice(1))
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const said = error instanceof Error ? error.message || code : String(error)
  const known: Record<string, string> = {
    ENOTFOUND: `the host '${hostname}' is not known. Check its name, and the name server of this machine.`,
    EAI_AGAIN: `the name server did not answer when asked for the host '${hostname}'. Try again, or name an address.`,
    ECONNREFUSED: `nothing listens at ${server}. Start the database, or correct host and port.`,
    ETIMEDOUT: `${server} did not answer within ${timeoutMs / 1000} s. Check host and port, and whether a firewall is in between.`,
    EHOSTUNREACH: `there is no way to ${server}. Check host and network.`,
    ER_ACCESS_DENIED_ERROR: `${server} refuses ${user} with this password. Correct them, or create the user there.`,
    ER_DBACCESS_DENIED_ERROR: `${user} may not use the database '${database}' at ${server}. Grant it all privileges there.`,
    ER_BAD_DB_ERROR: `${server} has no database '${database}'. Create it: CREATE DATABASE \`${database}\` CHARACTER SET utf8mb4`,
    ER_CON_COUNT_ERROR: `${server} has no connection left. Raise its max_connections.`,
    HANDSHAKE_SSL_ERROR: `the certificate of ${server} is refused (${said}). Check ssl-mode and ssl-ca.`,
    HANDSHAKE_NO_SSL_SUPPORT: `${server} offers no TLS. Turn it on there, or say ssl-mode=DISABLED where the network is private.`,
  }
  return known[code] ?? `${server} cannot be used: ${said}`
}

/**
 * Logs, at the start of a process, why the database or Temporal cannot be reached. The process itself waits for both.
 */
export function logUnreachable({ databaseUrl, temporal }: Pick<Config, 'databaseUrl' | 'temporal'>, log: Log): void {
  for (const check of [requireDatabase(databaseUrl), requireTemporal(temporal)])
    check.catch((error: unknown) => log.error(error instanceof Error ? error.message : String(error)))
}

/**
 * Does a command's work with the database of DATABASE_URL. If that is not set or cannot be used, prints why, and the
 * process ends with 1.
 */
export async function withDatabase(work: (databaseUrl: string) => Promise<void>): Promise<void> {
  try {
    const { DATABASE_URL: url } = process.env
    if (!url) throw new NoDatabase('DATABASE_URL is not set (mysql://user:password@host:port/database)')
    await requireDatabase(url)
    await work(url)
  } catch (error) {
    if (!(error instanceof NoDatabase || error instanceof WrongSetting)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
