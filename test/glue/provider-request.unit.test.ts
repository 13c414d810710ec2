// Addresses of provider calls.
import { describe, expect, test } from 'vitest'
import { callAddress, LinkElsewhere, linkedAddress, NoRequest } from '../../activities/providers/provider-request.js'

const base = 'https://registry.example/v1'
const registry = { url: base, alsoKnownAs: ['http://backend:8080/api/'] }

test.each([
  ['an address of another path', 'https://registry.example/admin'],
  ['an address of a path with the same beginning', 'https://registry.example/v10/x'],
  ['an address of another host', 'https://a.example/v1/x'],
  ['another port', 'https://registry.example:444/v1/x'],
  ['another scheme', 'http://registry.example/v1/x'],
  ['a user', 'https://user@registry.example/v1/x'],
  ['a user and a password', 'https://a:b@registry.example/v1/x'],
  ['a host behind a user', 'https://registry.example@a.example/v1/x'],
  ['the way up', '../admin'],
  ['the way up within the base', 'people/../secrets'],
  ['the way up, encoded', '%2e%2E/admin'],
  ['the way up, half encoded', '.%2e/admin'],
  ['the way up, encoded twice', '%252e%252e/admin'],
  ['the way up by an encoded slash', '..%2fadmin'],
  ['an encoded slash', 'a%2Fb'],
  ['an encoded slash, encoded twice', 'a%252fb'],
  ['an encoded slash, encoded three times', 'a%25252fb'],
  ['an encoded backslash', 'a%5Cb'],
  ['a backslash', 'a\\b'],
  ['a host behind backslashes', '\\\\a.example/x'],
  ['a way up by backslashes', '..\\..\\admin'],
  ['a tab in the way up', '.\t./admin'],
  ['a line break in the way up', '.\n./admin'],
  ['an absolute way up', 'https://registry.example/v1/../admin'],
  ['an absolute way up with a tab', 'ht\ttps://a.example/'],
])('a value does not bring %s into an address', (_, value) => {
  expect(() => callAddress('{{ request.query.p }}', value, registry)).toThrow(NoRequest)
})

test.each([
  ['a host without a scheme', '//a.example/x', `${base}//a.example/x`],
  ['a scheme without slashes', 'https:a.example', `${base}/https:a.example`],
  ['an identifier with a scheme', 'urn:oid:1.2.3', `${base}/urn:oid:1.2.3`],
  ['a script', 'javascript:x', `${base}/javascript:x`],
  ['a link of the provider', `${base}/more?page=2`, `${base}/more?page=2`],
  ['a name with dots and escapes', 'a..b%20c/%C3%A4', `${base}/a..b%20c/%C3%A4`],
  ['an encoded slash in a query', 'x?of=a%2Fb&up=../c', `${base}/x?of=a%2Fb&up=../c`],
  ['nothing', '', `${base}/`],
])('%s in a value stays below the base', (_, value, expected) => {
  expect(callAddress('{{ request.query.p }}', value, registry).href).toBe(expected)
})

test("only a template's own text, not its values, can leave the path of its provider", () => {
  const address = (template: string, value: string) =>
    callAddress(template, template.replace(/\{\{.*?\}\}/, value), registry).href
  expect(address('https://registry.example/other/{{ x }}', '7')).toBe('https://registry.example/other/7')
  expect(address('projects/a%2Fb/{{ x }}', '7')).toBe(`${base}/projects/a%2Fb/7`)
  for (const [template, value] of [
    ['https://registry.example{{ x }}', '/admin'],
    ['https://registry.example{{ x }}', '.a.example/'],
    ['https://{{ x }}', 'registry.example/admin'],
    ['projects/a%2Fb/{{ x }}', 'c%2Fd'],
    ['people/{{ x }}%2Fb', '..'],
    ['people/.{{ x }}/admin', '.'],
  ] as const) {
    expect(() => address(template, value), `${template} ${value}`).toThrow(NoRequest)
  }
})

describe('a link of the provider', () => {
  const odata = {
    url: 'https://registry.example/p/odata/v4',
    alsoKnownAs: ['http://backend:8080/odata/', 'http://p.test'],
  }
  const asked = `${odata.url}/Visits?$top=2`

  test.each([
    ['from the root', '/p/odata/v4/Visits?$skip=2', '/Visits?$skip=2'],
    ['relative to the address just asked', 'Visits?$skip=2', '/Visits?$skip=2'],
    ['of a query alone', '?$skip=2', '/Visits?$skip=2'],
    ['of the same host', '//registry.example/p/odata/v4/Visits', '/Visits'],
    ['below the address just asked', './Visits/2', '/Visits/2'],
    ['that is absolute', 'https://registry.example/p/odata/v4/Visits?a=b', '/Visits?a=b'],
    ['by another name of the server', 'http://backend:8080/odata/Visits?a=b', '/Visits?a=b'],
    ['by another name without a path', 'http://p.test/Visits?a=b', '/Visits?a=b'],
  ])('%s is resolved', (_, link, expected) => {
    expect(linkedAddress(link, asked, odata).href).toBe(odata.url + expected)
  })

  test.each([
    ['another host', 'https://a.example/Visits', 'https://a.example'],
    ['another host without a scheme', '//a.example/Visits', 'https://a.example'],
    ['another scheme', 'http://registry.example/p/odata/v4/Visits', 'http://registry.example'],
    ['another path', '/admin', 'https://registry.example'],
    ['the way up', '../../../admin', 'https://registry.example'],
    ['another path of another name', 'http://backend:8080/odatas', 'http://backend:8080'],
    ['a user', 'https://user@registry.example/p/odata/v4/Visits', 'https://registry.example'],
  ])('to %s is refused, and its host is named', (_, link, origin) => {
    const thrown = () => linkedAddress(link, asked, odata)
    expect(thrown).toThrow(LinkElsewhere)
    expect(thrown).toThrow(expect.objectContaining({ origin }))
  })

  test('is taken by a template that begins with a value, and never pasted behind the path of the provider', () => {
    const address = (text: string) => callAddress('{{ steps.a.body.next }}', text, odata, asked).href
    expect(address('/p/odata/v4/Visits?$skip=2')).toBe(`${odata.url}/Visits?$skip=2`)
    expect(address('?$skip=2')).toBe(`${odata.url}/Visits?$skip=2`)
    expect(address('http://backend:8080/odata/Visits')).toBe(`${odata.url}/Visits`)
    expect(() => address('/Visits')).toThrow(LinkElsewhere)
    expect(callAddress('{{ request.body.cursor }}', '/Visits', odata).href).toBe(`${odata.url}/Visits`)
    expect(callAddress('/p/odata/v4/{{ x }}', '/p/odata/v4/7', odata).href).toBe(`${odata.url}/p/odata/v4/7`)
  })
})
