// Validation of addresses, OpenID Connect methods and headers in a manifest's glue.
import type { OpenIdConnectMethod } from '../../../db/glue/endpoints/settings.js'
import { type Fault, fault, pointerPart } from '../../../runtime/problems/problem.js'

/** Tells whether a setting is a template with placeholders, whose value is known only at run time. */
export const isTemplate = (template: string): boolean => /\{[{%]/.test(template)

/** Checks that a setting is the address of a system. Templates with placeholders are not checked. */
export function addressFaults(address: string | undefined, pointer: string): Fault[] {
  if (address === undefined || isTemplate(address)) return []
  const url = webAddress(address)
  if (!url) return [fault(pointer, 'wrong-format', 'It must be an absolute address: https://….')]
  if (url.username || url.password)
    return [fault(pointer, 'wrong-format', 'It must not contain a user name or password.')]
  if (url.search || url.hash) return [fault(pointer, 'wrong-format', 'It must not have a query or #.')]
  return []
}

/** Checks a method of OpenID Connect, as far as its settings are known before run time. */
export function openIdConnectFaults(method: OpenIdConnectMethod | undefined, pointer: string): Fault[] {
  if (!method) return []
  const { authority, audiences } = method
  const isNamed = isTemplate(audiences) || /[^,\s]/.test(audiences)
  return [
    ...addressFaults(authority, `${pointer}/authority`),
    ...(isNamed ? [] : [fault(`${pointer}/audiences`, 'required', 'Name at least one audience.')]),
  ]
}

function webAddress(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s/]\S*$/i.test(text) || !URL.canParse(text)) return undefined
  return new URL(text)
}

/**
 * Checks the address of a request, as far as its text is known before run time.
 * @param base address of its provider, if it has one.
 */
export function requestAddressFaults(address: string, base: string | undefined, pointer: string): Fault[] {
  const start = isTemplate(address) ? address.slice(0, address.search(/\{[{%]/)) : address
  if (!/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(start)) {
    if (base !== undefined || start === '') return []
    return [fault(pointer, 'wrong-format', 'Without a provider it must be absolute: https://….')]
  }
  // The origin of a template is certain only if it ends before the first placeholder: in 'https://api{{ x }}', the
  // value could continue the host.
  if (isTemplate(address) && !/^[^/]*\/\/[^/?#]*[/?#]/.test(start)) return []
  const url = webAddress(start)
  if (!url) return [fault(pointer, 'wrong-format', 'It must begin with https://, or be relative to a provider.')]
  const origin = base === undefined ? url.origin : webAddress(base)?.origin
  if (origin === undefined || origin === url.origin) return []
  return [fault(pointer, 'other-origin', `It leads to ${url.origin}, not to the provider at ${origin}.`)]
}

/** Headers of a call that the connection itself sets. */
const reservedInCalls = [
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]

/** Headers of an answer that the connection or the platform sets. */
const reservedInAnswers = [
  ...['connection', 'content-length', 'date', 'keep-alive', 'set-cookie', 'set-cookie2', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'x-content-type-options', 'x-request-id', 'strict-transport-security'],
]

export const isReservedInAnswer = (name: string): boolean => reservedInAnswers.includes(name.toLowerCase())
export const isReservedInCall = (name: string): boolean => reservedInCalls.includes(name.toLowerCase())

/**
 * Checks that headers can be sent.
 * @param isReserved tells whether a manifest must not set a header.
 */
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
      return [fault(at, 'duplicate-key', `The header ${name} is given twice, in different letter case.`)]
    return []
  })
}
