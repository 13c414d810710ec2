// Parses database URLs, including their TLS parameters.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isLoopback } from './loopback.js'
import { WrongSetting } from './wrong-setting.js'

/** The connection settings that a database URL contains. */
export interface DatabaseAddress {
  /** The URL without the TLS parameters. */
  uri: string
  /** TLS options for mysql2; undefined to connect without TLS. */
  ssl: { ca?: string; verifyIdentity: boolean } | undefined
  /**
   * The host, if connections to another machine would be unencrypted without an explicit choice. Otherwise undefined.
   */
  unprotected: string | undefined
}

const modes = ['DISABLED', 'VERIFY_CA', 'VERIFY_IDENTITY']

/**
 * Parses DATABASE_URL or one of DATABASE_REPLICA_URLS, with the TLS parameters of MySQL's own programs. `ssl-mode` is
 * DISABLED, VERIFY_CA (checks the authority of the certificate) or VERIFY_IDENTITY (checks the host name too). `ssl-ca`
 * is a file of certificates that replaces Node's authorities; without an `ssl-mode` it implies VERIFY_IDENTITY.
 * @param setting name of the setting, for error messages.
 * @throws WrongSetting that begins with this name.
 */
export function readDatabaseUrl(text: string, setting = 'DATABASE_URL'): DatabaseAddress {
  if (!text.startsWith('mysql://')) throw new WrongSetting(`${setting} does not begin with mysql://`)
  const url = parsed(text)
  if (!url) {
    throw new WrongSetting(
      `${setting} is no address of a database. Write the characters @ : / ? # % of user and password as %40 %3A %2F %3F %23 %25`,
    )
  }
  const caFile = url.searchParams.get('ssl-ca')
  const mode = (url.searchParams.get('ssl-mode') ?? (caFile === null ? undefined : 'VERIFY_IDENTITY'))?.toUpperCase()
  if (mode === undefined) {
    const isLocal = isLoopback(url.hostname)
    return { uri: text, ssl: undefined, unprotected: isLocal || url.searchParams.has('ssl') ? undefined : url.hostname }
  }
  if (!modes.includes(mode)) {
    throw new WrongSetting(
      `${setting} has an ssl-mode that is none of ${modes.join(', ')}: TLS without a check of the certificate protects from no one in between`,
    )
  }
  for (const name of ['ssl-ca', 'ssl-mode']) url.searchParams.delete(name)
  if (mode === 'DISABLED') return { uri: url.href, ssl: undefined, unprotected: undefined }
  // For an IP address, mysql2 would compare the certificate with `localhost`.
  if (mode === 'VERIFY_IDENTITY' && isIP(url.hostname.replace(/[[\]]/g, ''))) {
    throw new WrongSetting(
      `${setting} has an address of numbers, which no certificate is compared with: name the host, or say ssl-mode=VERIFY_CA`,
    )
  }
  const ssl = {
    ...(caFile === null ? {} : { ca: certificates(caFile, setting) }),
    verifyIdentity: mode === 'VERIFY_IDENTITY',
  }
  return { uri: url.href, ssl, unprotected: undefined }
}

/**
 * Parses an address whose path is one name, that of the database. A `/`, `?` or `#` in a password would otherwise end the
 * password, and its rest would be taken for the host, the database or a parameter, and shown in messages.
 */
function parsed(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isWhole = /^\/[^/@]+$/.test(url.pathname) && url.hash === '' && !url.search.includes('@') && url.hostname !== ''
  return isWhole && isEncoded(url) ? url : undefined
}

/** Tells whether user, password and database can be decoded. */
function isEncoded({ username, password, pathname }: URL): boolean {
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

function certificates(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new WrongSetting(`${setting} names the file ${file} in ssl-ca, which cannot be read`, { cause })
  }
}
