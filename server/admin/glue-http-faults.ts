import { type Fault, pointerPart } from '../../runtime/problem.js'

/** A template with parts of its own: what it makes is known only when it runs. */
export const isSaid = (template: string): boolean => /\{[{%]/.test(template)

const fault = (pointer: string, code: string, detail: string): Fault => ({ pointer, code, detail })

/** That a setting is the address of a system, where it is no template. */
export function addressFaults(address: string | undefined, pointer: string): Fault[] {
  if (address === undefined || isSaid(address)) return []
  const url = webAddress(address)
  if (!url) return [fault(pointer, 'wrong-format', 'It must be an absolute address: https://….')]
  if (url.username || url.password) return [fault(pointer, 'wrong-format', 'It must not hold a user name or password.')]
  if (url.search || url.hash) return [fault(pointer, 'wrong-format', 'It must not have a query or #.')]
  return []
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

/** Set by the connection itself, whatever a manifest says. */
const ownHeaders = [
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]

/** That headers can be sent. */
export function headerFaults(headers: Record<string, string>, pointer: string): Fault[] {
  const names = Object.keys(headers).map(name => name.toLowerCase())
  return Object.keys(headers).flatMap((name, n) => {
    const at = `${pointer}/${pointerPart(name)}`
    if (ownHeaders.includes(name.toLowerCase()))
      return [fault(at, 'reserved-header', `The header ${name} is set by the connection itself.`)]
    if (names.indexOf(name.toLowerCase()) < n)
      return [fault(at, 'duplicate-key', `The header ${name} is given twice, in other letters.`)]
    return []
  })
}
