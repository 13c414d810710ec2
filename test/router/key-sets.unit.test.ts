// The key sets of all cells as one.
import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { fakeCell, startRouter } from '../support/router.js'

const path = '/identity/jwks'
const keysOf =
  (kid: string): RequestListener =>
  (request, response) =>
    request.url === path
      ? response.writeHead(200, { 'Content-Type': 'application/jwk-set+json' }).end(JSON.stringify({ keys: [{ kid }] }))
      : response.writeHead(404).end()

test('the key set has the keys of all cells, for anybody, and is read from each once', async () => {
  const [a, b] = [await fakeCell(keysOf('a')), await fakeCell(keysOf('b'))]
  const { baseUrl } = await startRouter({ a, b })
  for (let n = 0; n < 3; n++) {
    const answer = await fetch(baseUrl + path)
    expect(await answer.json()).toEqual({ keys: [{ kid: 'a' }, { kid: 'b' }] })
    expect(
      ['content-type', 'cache-control', 'access-control-allow-origin'].map(name => answer.headers.get(name)),
    ).toEqual(['application/jwk-set+json', 'public, max-age=300', '*'])
  }
  expect([a.asked, b.asked]).toEqual([[`GET ${path}`], [`GET ${path}`]])
})

test('a cell that does not answer leaves the keys of the others, which nobody is to keep', async () => {
  const gone = await fakeCell(keysOf('gone'))
  await gone.stop()
  const { baseUrl } = await startRouter({ gone, b: await fakeCell(keysOf('b')) })
  const answer = await fetch(baseUrl + path)
  expect([await answer.json(), answer.headers.get('cache-control')]).toEqual([{ keys: [{ kid: 'b' }] }, 'no-store'])
})

test('cells with another issuer answer themselves', async () => {
  const a = await fakeCell((_, response) => response.writeHead(404).end('a has none'))
  const { baseUrl } = await startRouter({ a })
  const answer = await fetch(baseUrl + path)
  expect([answer.status, await answer.text()]).toEqual([404, 'a has none'])
})
