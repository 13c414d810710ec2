// Addresses of provider calls.
import { expect, test } from 'vitest'
import { callAddress, NoRequest } from '../../activities/providers/provider-request.js'

const base = 'https://registry.example/v1'

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
  expect(() => callAddress('{{ request.query.p }}', value, base)).toThrow(NoRequest)
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
  expect(callAddress('{{ request.query.p }}', value, base).href).toBe(expected)
})

test('only the own text of a template leaves the path of its provider', () => {
  const address = (template: string, value: string) =>
    callAddress(template, template.replace(/\{\{.*?\}\}/, value), base).href
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
