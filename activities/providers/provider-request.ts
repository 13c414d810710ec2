// Builds the addresses and headers of calls, which stay at their provider.
import { startsWithHost } from '../../db/glue/endpoints/secret-hosts.js'

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

/** A link, such as that to the next page, leads to an address that is not below the provider's. */
export class LinkElsewhere extends NoRequest {
  constructor(
    /** Scheme, host and port of the link. */
    readonly origin: string,
  ) {
    super('its address is not at its provider')
  }
}

/** Where a provider is: its address, and others by which it calls itself. */
export interface ProviderAddress {
  url: string
  alsoKnownAs: readonly string[]
}

/**
 * Builds the address of a call, absolute or relative to its provider's. Because values may come from a caller, the
 * address must stay below the provider's, unless the template's own text names the host. If the template begins with a
 * value, that value may be a link of the provider: absolute, from the root, or only a query.
 * @param template of the address.
 * @param rendered the evaluated template.
 * @param provider the provider of the step, if it names one.
 * @param asked the address that the run has asked before, if the value is of an answer: to it, paths and queries are
 *   relative (RFC 3986).
 * @throws NoRequest
 */
export function callAddress(
  template: string,
  rendered: string,
  provider: ProviderAddress | undefined,
  asked?: string,
): URL {
  const text = rendered.trim()
  const own = template.trim().replace(/\{\{[^{}]*\}\}|\{%[^%]*%\}/g, 'x')
  if (pathBreaks(text) > pathBreaks(own)) throw new NoRequest('a value changes the path of its address')
  if (!provider) return urlOf(text)
  const root = withoutSlashes(provider.url)
  const isLink = template.trim().startsWith('{{')
  if (isLink && (absolute.test(text) || isFromRoot(text, root))) return linkedAddress(text, root, provider)
  if (isLink && asked !== undefined && /^[/?]/.test(text)) return linkedAddress(text, asked, provider)
  const url = urlOf(absolute.test(text) ? text : `${root}/${text.replace(/^\//, '')}`)
  const isOwn = startsWithHost.test(template.trim())
  if (url.username || url.password || !(isOwn ? url.origin === new URL(root).origin : isBelow(url, root)))
    throw new NoRequest('its address is not at its provider')
  return url
}

/**
 * Resolves a link of a provider against the address that it answered (RFC 3986). A link to an address by which the provider
 * is also known becomes one to its own address.
 * @throws LinkElsewhere if it does not lead below the provider's address.
 */
export function linkedAddress(link: string, asked: string, provider: ProviderAddress): URL {
  if (!URL.canParse(link, asked)) throw new NoRequest('its address is no URL')
  const url = new URL(link, asked)
  const root = withoutSlashes(provider.url)
  const alias = provider.alsoKnownAs.map(withoutSlashes).find(address => isBelow(url, address))
  const own =
    alias === undefined ? url : new URL(`${root}${url.href.slice(new URL(alias).href.replace(/\/$/, '').length)}`)
  if (own.username || own.password || !isBelow(own, root)) throw new LinkElsewhere(url.origin)
  return own
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw new NoRequest('its address is no URL')
  return new URL(text)
}

const withoutSlashes = (address: string): string => address.replace(/(?<!\/)\/+$/, '')

/** Tells whether a text is a path from the root of a host that leads below an address, as servers write their links. */
const isFromRoot = (text: string, root: string): boolean =>
  /^\/(?![/\\])/.test(text) && URL.canParse(text, root) && isBelow(new URL(text, root), root)

const absolute = /^https?:\/\//i

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

/** Tells whether an address has the same origin as a base and a path below it. */
function isBelow(url: URL, base: string): boolean {
  const { origin, pathname } = new URL(base)
  return url.origin === origin && `${url.pathname}/`.startsWith(pathname.endsWith('/') ? pathname : `${pathname}/`)
}

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
