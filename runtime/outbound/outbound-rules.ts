// Decides which hosts outbound calls may reach, and how.
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Why a call was not made or not completed. All but `timeout` and `network` break a rule and are final: the same call
 * fails again.
 */
export type OutboundReason =
  | 'url'
  | 'request'
  | 'https-only'
  | 'credentials-in-url'
  | 'private-address'
  | 'redirect'
  | 'too-large'
  | 'encoding'
  | 'timeout'
  | 'network'

const passing: ReadonlySet<OutboundReason> = new Set(['timeout', 'network'])

/**
 * Thrown when a call got no usable answer. The message names the host and the rule, but no address, path, header or
 * body.
 */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed'
  constructor(
    readonly reason: OutboundReason,
    message: string,
    /** False if no part of the request can have reached the server. */
    readonly isSent = true,
  ) {
    super(message)
  }
  /** True if the call breaks a rule, so that there is no point in retrying. */
  get isFinal(): boolean {
    return !passing.has(this.reason)
  }
}

/** Resolves a name to all its addresses, like `dns.lookup` with `all`. */
export type Resolve = (hostname: string, options: { all: true }, found: Found) => void
type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** Which hosts may be called, and in which way. */
export interface OutboundRules {
  /**
   * Checks everything that the URL alone reveals. @returns true if the operator has allowed its host explicitly.
   * @throws OutboundFailed
   */
  check(url: URL): boolean
  /** Resolves a name once for a connection, and fails if any of its addresses is not public. */
  guardedLookup: LookupFunction
  /** Resolves the name of a host that the operator has allowed, whatever its addresses. */
  openLookup: LookupFunction
}

/**
 * Creates the rules of a process.
 * @param allow the operator's exceptions, each `host` or `host:port`, compared exactly. These may be called over http
 * and at private addresses.
 */
export function outboundRules(allow: readonly string[], lookup: Resolve = systemLookup): OutboundRules {
  const exceptions = new Set(allow.map(entry => entry.toLowerCase()))
  const resolve = oncePerName(lookup)

  return {
    check(url) {
      const host = url.hostname
      if (!['https:', 'http:'].includes(url.protocol)) throw new OutboundFailed('https-only', 'Only https is called')
      if (url.username || url.password) {
        throw new OutboundFailed('credentials-in-url', `${host}: a URL with a user name or password is not called`)
      }
      const isException = exceptions.has(host) || exceptions.has(`${host}:${portOf(url)}`)
      if (isException) return true
      if (url.protocol !== 'https:') {
        throw new OutboundFailed('https-only', `${host}: only https is called, unless OUTBOUND_ALLOW names the host`)
      }
      // A literal address is never looked up, so it is checked here. The URL parser has already normalized notations
      // such as octal to four decimal numbers.
      const literal = host.replace(/^\[|\]$/g, '')
      if (ipaddr.isValid(literal) && !isPublic(literal)) throw notPublic(host)
      return false
    },
    guardedLookup: lookupWith(resolve, (host, addresses) => {
      if (addresses.some(({ address }) => !isPublic(address))) throw notPublic(host)
    }),
    openLookup: lookupWith(resolve, () => undefined),
  }
}

const globalIpv6 = ipaddr.parseCIDR('2000::/3')

/**
 * Tells whether an address belongs to the public internet. Returns false for every special range: loopback, private,
 * link-local, unique-local, carrier-grade NAT, multicast, documentation. Also returns false for IPv6 addresses that
 * wrap an IPv4 one (mapped, NAT64, 6to4, Teredo), since they could lead to a private address.
 */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalIpv6))
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

const notPublic = (host: string) =>
  new OutboundFailed('private-address', `${host} is no public address, and OUTBOUND_ALLOW does not name it`)

/**
 * Lets all who ask for a name at the same time wait for one lookup. The system makes only two at once, so many for a name whose servers
 * hang would hold up the calls to all other hosts.
 */
function oncePerName(lookup: Resolve): Resolve {
  const waiting = new Map<string, Found[]>()
  return (hostname, options, found) => {
    const others = waiting.get(hostname)
    if (others) {
      others.push(found)
      return
    }
    const all = [found]
    waiting.set(hostname, all)
    lookup(hostname, options, (...answer) => {
      waiting.delete(hostname)
      for (const each of all) each(...answer)
    })
  }
}

/**
 * Creates a lookup for `net.connect` that checks the addresses and returns the same ones. A second lookup could return
 * others, so the connection must use those that were checked.
 */
function lookupWith(resolve: Resolve, check: (host: string, addresses: LookupAddress[]) => void): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { all: true }, (error, addresses) => {
      if (error) return done(error, '')
      try {
        check(hostname, addresses)
      } catch (refusal) {
        return done(refusal instanceof Error ? refusal : new Error('The address was refused'), '')
      }
      const [first] = addresses
      if (options.all) done(null, addresses)
      else done(null, first?.address ?? '', first?.family ?? 4)
    })
  }
}
