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
 * The address of a call: absolute, or relative to its provider's. The call stays below the provider's address unless
 * the template's own text names the host: values may come from a caller.
 * @param template of the address.
 * @param rendered its text.
 * @param base of the provider, where there is one.
 * @throws NoRequest
 */
export function callAddress(template: string, rendered: string, base: string | undefined): URL {
  const text = rendered.trim()
  const own = template.trim().replace(/\{\{[^{}]*\}\}|\{%[^%]*%\}/g, 'x')
  if (pathBreaks(text) > pathBreaks(own)) throw new NoRequest('a value changes the path of its address')
  const root = base?.replace(/(?<!\/)\/+$/, '')
  const whole = root === undefined || absolute.test(text) ? text : `${root}/${text.replace(/^\//, '')}`
  if (!URL.canParse(whole)) throw new NoRequest('its address is no URL')
  const url = new URL(whole)
  if (root === undefined) return url
  const { origin, pathname } = new URL(root)
  const isOwn = startsWithHost.test(template.trim())
  if (url.username || url.password || url.origin !== origin || !(isOwn || isBelow(url.pathname, pathname))) {
    throw new NoRequest('its address is not at its provider')
  }
  return url
}

const absolute = /^https?:\/\//i
/** A host is certain only where it ends before the first value: after 'https://api' may come '.example'. */
const startsWithHost = /^https?:\/\/[^\s/?#\\@{]+(?:[/?#]|$)/i

/** How often a path leaves its own segments: by `.` or `..`, a slash that is encoded, however often, or what URLs drop or replace. */
function pathBreaks(address: string): number {
  const [path = ''] = address.split(/[?#]/, 1)
  const dots = path
    .split(/[/\\]|%(?:25)*(?:2f|5c)/i)
    .filter(segment => /^(?:\.|%(?:25)*2e){1,2}$/i.test(segment)).length
  return dots + (path.match(/%(?:25)*(?:2f|5c)|[\\\t\n\r]/gi) ?? []).length
}

const isBelow = (path: string, base: string): boolean => `${path}/`.startsWith(base.endsWith('/') ? base : `${base}/`)

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
