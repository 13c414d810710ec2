// Headers that the router passes on, in both directions.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { IsProxy } from '../../runtime/caller-address.js'

/** Headers of one connection (RFC 9110, 7.6.1), besides those that `Connection` names. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Set anew for the cell. `Expect` has been answered by this process. */
const ownOfRouter = new Set(['host', 'expect', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])

/** Names of headers that stay on this connection. */
const stays = (connection: string | undefined) => {
  const named = new Set(connection?.split(',').map(name => name.trim().toLowerCase()))
  return (name: string) => hopByHop.has(name) || named.has(name)
}

/**
 * Headers for the cell: names and values in turn, in their order. `X-Forwarded-*` of a proxy that is not trusted are dropped.
 * @param replaced values of this process, by lower-case name; undefined for a header that is not passed on.
 */
export function requestHeaders(
  request: IncomingMessage,
  { isProxy, replaced }: { isProxy: IsProxy; replaced: ReadonlyMap<string, string | undefined> },
): string[] {
  const { headers, rawHeaders, socket } = request
  const isOfConnection = stays(headers.connection)
  const passed: string[] = []
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const [name = '', value = ''] = rawHeaders.slice(n, n + 2)
    const lower = name.toLowerCase()
    if (!isOfConnection(lower) && !ownOfRouter.has(lower) && !replaced.has(lower)) passed.push(name, value)
  }
  const peer = socket.remoteAddress ?? ''
  const before = peer !== '' && isProxy(peer) ? headers : {}
  const forwardedFor = [before['x-forwarded-for'], peer].flat().filter(Boolean).join(', ')
  const forwarded: [string, string | undefined][] = [
    ['x-forwarded-for', forwardedFor],
    ['x-forwarded-host', textOf(before['x-forwarded-host']) ?? headers.host],
    ['x-forwarded-proto', textOf(before['x-forwarded-proto']) ?? 'http'],
    ['forwarded', before.forwarded],
    ...replaced,
  ]
  return [...passed, ...forwarded.flatMap(([name, value]) => (value ? [name, value] : []))]
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

/** Headers of an answer for the caller. */
export function answerHeaders(headers: IncomingHttpHeaders): [name: string, value: string | string[]][] {
  const isOfConnection = stays(textOf(headers.connection))
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || isOfConnection(name) ? [] : [[name, value]],
  )
}
