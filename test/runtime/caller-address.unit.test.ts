// Addresses of callers.
import { expect, test } from 'vitest'
import { callerAddress, trustedProxies } from '../../runtime/settings/caller-address.js'

const isProxy = trustedProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])

test.each([
  ['a caller without a proxy', '203.0.113.5', '', '203.0.113.5'],
  ['a caller that names somebody else', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
  ['a caller behind a proxy', '10.1.2.3', '203.0.113.5', '203.0.113.5'],
  ['what a caller adds itself', '10.1.2.3', '198.51.100.1, 203.0.113.5', '203.0.113.5'],
  ['two proxies', '192.0.2.7', '198.51.100.1, 203.0.113.5, 10.9.9.9', '203.0.113.5'],
  ['a proxy that says nothing', '10.1.2.3', '', '10.1.2.3'],
  ['a proxy that says what is no address', '10.1.2.3', '203.0.113.5, unknown', '10.1.2.3'],
  ['a proxy that adds the port', '10.1.2.3', '203.0.113.5:4711', '203.0.113.5'],
  ['an address mapped into IPv6', '::ffff:10.1.2.3', '::ffff:203.0.113.5', '203.0.113.5'],
  ['an address that only looks like a trusted one', '192.0.2.77', '203.0.113.5', '192.0.2.77'],
  ['IPv6: the network of the caller', '2001:db8::1', '2001:470:1:2:3:4:5:6', '2001:470:1:2::'],
  ['IPv6 in brackets, with a port', '2001:db8::1', '[2001:470:1:2::9]:443', '2001:470:1:2::'],
  ['a peer that is gone', undefined, '203.0.113.5', ''],
])('%s', (_, peer, forwardedFor, address) => {
  expect(callerAddress(peer, forwardedFor, isProxy)).toBe(address)
})

test.each(['10.0.0.0/33', 'proxy.example', '10.0.0', '1.2.3.4/', '*'])('%s is no proxy', entry => {
  expect(() => trustedProxies([entry])).toThrow(`'${entry}' is no address and no range`)
})
