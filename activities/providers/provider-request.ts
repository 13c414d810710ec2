/**
 * The texts of a manifest, once evaluated, cannot be sent as a request. The message contains none of the evaluated
 * text.
 */
export class NoRequest extends Error {
  override readonly name = 'NoRequest'
  constructor(
    message: string,
    /** The header that cannot be sent, if that is the reason. */
    readonly header?: string,
  ) {
    super(message)
  }
}

/**
 * Builds the address of a call, absolute or relative to its provider's. Because values may come from a caller, the
 * address must stay below the provider's, unless the template's own text names the host.
 * @param template of the address.
 * @param rendered the evaluated template.
 * @param base address of the provider, if there is one.
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
/** Matches only if the host ends before the first value: in 'https://api{{ x }}', the value could continue the host. */
const startsWithHost = /^https?:\/\/[^\s/?#\\@{]+(?:[/?#]|$)/i

/**
 * Counts how often a path leaves its own segments: by `.` or `..`, by slashes encoded any number of times, or by
 * characters that URL parsers drop or replace.
 */
function pathBreaks(address: string): number {
  const [path = ''] = address.split(/[?#]/, 1)
  const dots = path
    .split(/[/\\]|%(?:25)*(?:2f|5c)/i)
    .filter(segment => /^(?:\.|%(?:25)*2e){1,2}$/i.test(segment)).length
  return dots + (path.match(/%(?:25)*(?:2f|5c)|[\\\t\n\r]/gi) ?? []).length
}

const isBelow = (path: string, base: string): boolean => `${path}/`.startsWith(base.endsWith('/') ? base : `${base}/`)

/**
 * Builds headers with lower-case names, and leaves empty ones out.
 * @throws NoRequest if a value contains a character that could break out of its line.
 */
export function callHeaders(given: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const headers = given.map(([name, text]) => {
    const value = text.trim()
    // Matches any character that a header value must not contain (RFC 9110, 5.5).
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new NoRequest(`the header '${name}' contains a character that no header may contain`, name)
    }
    return [name.toLowerCase(), value] as const
  })
  return Object.fromEntries(headers.filter(([, value]) => value !== ''))
}
