// Parses database URLs, including their TLS parameters.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isLoopback } from './loopback.js'

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
 * @throws Error that begins with this name and reveals no secrets.
 */
export function readDatabaseUrl(text: string, setting = 'DATABASE_URL'): DatabaseAddress {
  if (!URL.canParse(text)) throw new Error(`${setting} is no URL`)
  if (!text.startsWith('mysql://')) throw new Error(`${setting} does not begin with mysql://`)
  const url = new URL(text)
  const caFile = url.searchParams.get('ssl-ca')
  const mode = (url.searchParams.get('ssl-mode') ?? (caFile === null ? undefined : 'VERIFY_IDENTITY'))?.toUpperCase()
  if (mode === undefined) {
    const isLocal = url.hostname === '' || isLoopback(url.hostname)
    return { uri: text, ssl: undefined, unprotected: isLocal || url.searchParams.has('ssl') ? undefined : url.hostname }
  }
  if (!modes.includes(mode)) {
    throw new Error(
      `${setting} has an ssl-mode that is none of ${modes.join(', ')}: TLS without a check of the certificate protects from no one in between`,
    )
  }
  for (const name of ['ssl-ca', 'ssl-mode']) url.searchParams.delete(name)
  if (mode === 'DISABLED') return { uri: url.href, ssl: undefined, unprotected: undefined }
  // For an IP address, mysql2 would compare the certificate with `localhost`.
  if (mode === 'VERIFY_IDENTITY' && isIP(url.hostname.replace(/[[\]]/g, ''))) {
    throw new Error(
      `${setting} has an address of numbers, which no certificate is compared with: name the host, or say ssl-mode=VERIFY_CA`,
    )
  }
  const ssl = {
    ...(caFile === null ? {} : { ca: certificates(caFile, setting) }),
    verifyIdentity: mode === 'VERIFY_IDENTITY',
  }
  return { uri: url.href, ssl, unprotected: undefined }
}

function certificates(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Error(`${setting} names the file ${file} in ssl-ca, which cannot be read`, { cause })
  }
}
