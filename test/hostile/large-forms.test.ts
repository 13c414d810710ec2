// Many large forms at once, sent by strangers.
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, expect, inject, test } from 'vitest'
import { aSmallTemplate, launchTenant } from '../support/factories.js'
import { form, page } from '../support/launches.js'

const megabyte = 1024 * 1024
const tenant = await launchTenant([aSmallTemplate([{ id: 'note', label: 'Note' }])])
afterAll(() => tenant.endpoint.stop())

/** Sends 31 MB of a form from an address, and never ends it. */
function endless(address: string): ClientRequest {
  const asked = request(new URL(tenant.path('small'), inject('baseUrl')), {
    method: 'POST',
    headers: {
      accept: 'text/html',
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 32 * megabyte,
      'x-forwarded-for': address,
    },
  })
  asked.on('error', () => undefined)
  asked.write('--x\r\ncontent-disposition: form-data; name="note"\r\n\r\n'.padEnd(31 * megabyte, 'x'))
  return asked
}

test('large forms beyond the memory for those of an address are told to come again, and others are not', async () => {
  const asked = Array.from({ length: 5 }, () => endless('10.1.1.1'))
  const [refused]: IncomingMessage[] = await Promise.race(asked.map(each => once(each, 'response')))
  expect([refused?.statusCode, refused?.headers['retry-after']]).toEqual([503, '5'])
  expect(refused && (await text(refused))).toContain('Too many large forms are being sent. Nothing was done.')
  const sent = async (address: string, size: number) => {
    const headers = { 'x-forwarded-for': address }
    return (await page(tenant.path('small'), { ...form(['note', 'x'.repeat(size)]), headers })).status
  }
  // It is read, and its text is too long.
  expect(await sent('10.1.1.2', 2 * megabyte)).toBe(400)
  expect(await sent('10.1.1.1', 1_000)).toBe(303)
  for (const each of asked) each.destroy()
  await expect.poll(() => sent('10.1.1.1', 2 * megabyte)).toBe(400)
})
