// Recognizes loopback addresses.

/** Tells whether only this machine can reach a host name or an address. IPv6 may have brackets. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|::ffff:127\.\d+\.\d+\.\d+)$/.test(host)
