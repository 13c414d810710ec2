// Determines the address of a caller, also behind trusted proxies.
import ipaddr from 'ipaddr.js'

/** Tells whether an address belongs to a proxy whose `X-Forwarded-For` is trusted. */
export type IsProxy = (address: string) => boolean

/**
 * Parses TRUSTED_PROXIES: addresses and CIDR ranges, IPv4 and IPv6.
 * @throws Error that names the invalid entry.
 */
export function trustedProxies(entries: readonly string[]): IsProxy {
  const ranges = entries.map(entry => {
    const range = entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`
    // The library accepts short forms of IPv4 too, such as 10.1 for 10.0.0.1, so dots are checked here.
    if (!ipaddr.isValidCIDR(range) || !/:|^\d+(\.\d+){3}\//.test(range))
      throw new Error(`'${entry}' is no address and no range such as 10.0.0.0/8`)
    return ipaddr.parseCIDR(range)
  })
  return address => {
    const parsed = ipaddr.process(address)
    return ranges.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits))
  }
}

/**
 * Returns the address of a request's caller: the peer's, or the one that trusted proxies report in `X-Forwarded-For`,
 * read from right to left. The first address that is not a trusted proxy counts, because anything further left may be
 * forged by the caller.
 * @returns an IPv4 address, or the first 64 bits of an IPv6 address, since every caller has at least that range. Empty
 * if the peer has disconnected.
 */
export function callerAddress(peer: string | undefined, forwardedFor: string, isProxy: IsProxy): string {
  let address = addressIn(peer ?? '')
  const hops = forwardedFor.split(',')
  while (address !== undefined && isProxy(address)) {
    const next = addressIn(hops.pop()?.trim() ?? '')
    if (next === undefined) break
    address = next
  }
  if (address === undefined) return ''
  return address.includes(':') ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString() : address
}

/**
 * Parses an address. Some proxies append the port, which is dropped. IPv4 addresses mapped into IPv6 become IPv4
 * addresses.
 */
function addressIn(text: string): string | undefined {
  const bare = ipaddr.isValid(text) ? text : text.replace(/:\d{1,5}$/, '').replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined
}
