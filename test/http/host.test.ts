// The Host header, and Strict-Transport-Security.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { problem, sendBytes } from '../support/http.js'
import { startOwnApp } from '../support/own-app.js'

const ask = async (version: string, ...hosts: string[]) => {
  const lines = [`GET /api/v1/group HTTP/${version}`, ...hosts, 'Connection: close', '', '']
  const [head = '', body = ''] = (await sendBytes(inject('baseUrl'), [lines.join('\r\n')])).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body }
}

test.each<[name: string, version: string, ...hosts: string[]]>([
  ['two', '1.1', 'Host: armature.example', 'Host: evil.example'],
  ['two, of different case', '1.1', 'host: armature.example', 'HOST: evil.example'],
  ['the same twice', '1.1', 'Host: armature.example', 'Host: armature.example'],
  ['two in HTTP/1.0', '1.0', 'Host: armature.example', 'Host: evil.example'],
  ['none', '1.1'],
  ['two names in one', '1.1', 'Host: armature.example, evil.example'],
  ['a name with a space', '1.1', 'Host: armature example'],
  ['a user before the name', '1.1', 'Host: user@armature.example'],
  ['a path behind the name', '1.1', 'Host: armature.example/evil'],
  ['a port that is no number', '1.1', 'Host: armature.example:http'],
  ['an address without its bracket', '1.1', 'Host: [::1'],
  ['markup', '1.1', 'Host: <armature>'],
])('a Host header is refused: %s', async (_, version, ...hosts) => {
  const { status, head, body } = await ask(version, ...hosts)
  expect([status, head]).toEqual([400, expect.stringContaining('Content-Type: application/problem+json')])
  expect(JSON.parse(body)).toEqual(problem(400, 'malformed-request', '/api/v1/group'))
})

test.each<[name: string, version: string, ...hosts: string[]]>([
  ['a name', '1.1', 'Host: armature.example'],
  ['a name with a port', '1.1', 'Host: armature.example:8443'],
  ['an address', '1.1', 'Host: 127.0.0.1:3000'],
  ['an IPv6 address', '1.1', 'Host: [::1]:3000'],
  ['an empty one', '1.1', 'Host:'],
  ['none in HTTP/1.0', '1.0'],
])('a Host header is taken: %s', async (_, version, ...hosts) => {
  // The call goes on to the endpoint, which asks for a token.
  expect((await ask(version, ...hosts)).status).toBe(401)
})

let secure: Awaited<ReturnType<typeof startOwnApp>>
beforeAll(async () => {
  secure = await startOwnApp(inject('databaseUrl'), { PUBLIC_URL: 'https://armature.example' })
})
afterAll(() => secure.stop())

test.each(['/api/v1/group', '/nowhere', '/health/live', '/docs', '/demo/SinglePass/none'])(
  '%s tells browsers to use https alone where the public address is https, and only there',
  async path => {
    const of = async (url: string) => (await fetch(url + path)).headers.get('strict-transport-security')
    expect(await of(secure.baseUrl)).toBe('max-age=31536000')
    expect(await of(inject('baseUrl'))).toBeNull()
  },
)
