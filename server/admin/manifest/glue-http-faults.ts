// Validation of addresses, OpenID Connect methods and headers in a manifest's glue.
import type { OpenIdConnectMethod } from '../../../db/glue/endpoints/settings.js'
import { type Fault, fault, pointerPart } from '../../../runtime/problem.js'

/** A template with parts of its own: what it makes is known only when it runs. */
export const isSaid = (template: string): boolean => /\{[{%]/.test(template)

/** That a setting is the address of a system, where it is no template. */
export function addressFaults(address: string | undefined, pointer: string): Fault[] {
  if (address === undefined || isSaid(address)) return []
  const url = webAddress(address)
  if (!url) return [fault(pointer, 'wrong-format', 'It must be an absolute address: https://….')]
  if (url.username || url.password) return [fault(pointer, 'wrong-format', 'It must not hold a user name or password.')]
  if (url.search || url.hash) return [fault(pointer, 'wrong-format', 'It must not have a query or #.')]
  return []
}

/** That a method of Open ID Connect can be used, as far as its text shows. */
export function openIdConnectFaults(method: OpenIdConnectMethod | undefined, pointer: string): Fault[] {
  if (!method) return []
  const { authority, audiences } = method
  const isNamed = isSaid(audiences) || /[^,\s]/.test(audiences)
  return [
    ...addressFaults(authority, `${pointer}/authority`),
    ...(isNamed ? [] : [fault(`${pointer}/audiences`, 'required', 'Name at least one audience.')]),
  ]
}

function webAddress(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s/]\S*$/i.test(text) || !URL.canParse(text)) return undefined
  return new URL(text)
}

/** That a request goes where it may, as far as its text shows. @param base of its provider, if it has one. */
export function requestAddressFaults(address: string, base: string | undefined, pointer: string): Fault[] {
  const start = isSaid(address) ? address.slice(0, address.search(/\{[{%]/)) : address
  if (!/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(start)) {
    if (base !== undefined || start === '') return []
    return [fault(pointer, 'wrong-format', 'Without a provider it must be absolute: https://….')]
  }
  // Of a template, an origin is certain only where it is said to its end: after 'https://api' may come '.example'.
  if (isSaid(address) && !/^[^/]*\/\/[^/?#]*[/?#]/.test(start)) return []
  const url = webAddress(start)
  if (!url) return [fault(pointer, 'wrong-format', 'It must begin with https://, or be relative to a provider.')]
  const origin = base === undefined ? url.origin : webAddress(base)?.origin
  if (origin === undefined || origin === url.origin) return []
  return [fault(pointer, 'other-origin', `It leads to ${url.origin}, not to the provider at ${origin}.`)]
}

/** Headers of a call that the connection itself sets, whatever a manifest says. */
const ofConnection = [
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]

/** Headers of an answer that are the connection's or the platform's own. */
const ofPlatform = [
  ...['connection', 'content-length', 'date', 'keep-alive', 'set-cookie', 'set-cookie2', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'x-content-type-options', 'x-request-id', 'strict-transport-security'],
]

export const isReservedInAnswer = (name: string): boolean => ofPlatform.includes(name.toLowerCase())
export const isReservedInCall = (name: string): boolean => ofConnection.includes(name.toLowerCase())

/** That headers can be sent. @param isReserved whether one is not for a manifest to say. */
export function headerFaults(
  headers: Record<string, string>,
  pointer: string,
  isReserved: (name: string) => boolean,
): Fault[] {
  const names = Object.keys(headers).map(name => name.toLowerCase())
  return Object.keys(headers).flatMap((name, n) => {
    const at = `${pointer}/${pointerPart(name)}`
    if (isReserved(name))
      return [fault(at, 'reserved-header', `The header ${name} is set by the connection or the platform itself.`)]
    if (names.indexOf(name.toLowerCase()) < n)
      return [fault(at, 'duplicate-key', `The header ${name} is given twice, in other letters.`)]
    return []
  })
}
