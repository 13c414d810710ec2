/** The texts of a manifest make no request that can be sent. The message holds nothing of what they made. */
export class NoRequest extends Error {
  override readonly name = 'NoRequest'
  constructor(
    message: string,
    /** The header that cannot be sent, where that is the reason. */
    readonly header?: string,
  ) {
    super(message)
  }
}

/**
 * The address of a call: absolute, or relative to its provider's. A provider's call stays at its provider.
 * @param base of the provider, where there is one. @throws NoRequest
 */
export function callAddress(given: string, base: string | undefined): URL {
  const text = given.trim()
  const root = base?.replace(/(?<!\/)\/+$/, '')
  const isAbsolute = /^[a-z][a-z\d+.-]*:/i.test(text)
  const whole = isAbsolute || root === undefined ? text : `${root}/${text.replace(/^\//, '')}`
  if (!URL.canParse(whole)) throw new NoRequest('its address is no URL')
  const url = new URL(whole)
  if (root !== undefined && !isWithin(url, new URL(root), isAbsolute)) {
    throw new NoRequest('its address is not at its provider')
  }
  return url
}

/** A relative address does not leave the provider's path either: `..` may come from a caller. */
const isWithin = (url: URL, base: URL, isAbsolute: boolean): boolean =>
  url.origin === base.origin &&
  (isAbsolute || `${url.pathname}/`.startsWith(base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`))

/** Headers by lower-case name; one that comes out empty is left out. @throws NoRequest where a value would break out of its line. */
export function callHeaders(given: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const headers = given.map(([name, text]) => {
    const value = text.trim()
    // The characters that a header may have (RFC 9110, 5.5).
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new NoRequest(`the header '${name}' has a character that no header may have`, name)
    }
    return [name.toLowerCase(), value] as const
  })
  return Object.fromEntries(headers.filter(([, value]) => value !== ''))
}
