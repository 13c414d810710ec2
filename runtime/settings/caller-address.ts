// The address of a caller, behind trusted proxies too.
import ipaddr from 'ipaddr.js'

/** True for the address of a proxy whose `X-Forwarded-For` is believed. */
export type IsProxy = (address: string) => boolean

/**
 * Reads TRUSTED_PROXIES: addresses and CIDR ranges, IPv4 and IPv6.
 * @throws Error that names the entry which is neither.
 */
export function trustedProxies(entries: readonly string[]): IsProxy {
  const ranges = entries.map(entry => {
    const range = entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`
    // The library also takes the short forms of IPv4, such as 10.1 for 10.0.0.1.
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
 * The address of a request: the peer's, or the address that trusted proxies report, hop by hop from the nearest.
 * Addresses further left in `X-Forwarded-For` are the caller's own text.
 * @returns IPv4 as it is; of IPv6 the first 64 bits, which one caller has at least. Empty where the peer is gone.
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

/** Some proxies add the port. IPv4 that is mapped into IPv6 is the IPv4 address. */
function addressIn(text: string): string | undefined {
  const bare = ipaddr.isValid(text) ? text : text.replace(/:\d{1,5}$/, '').replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined
}
