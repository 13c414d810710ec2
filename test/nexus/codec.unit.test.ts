// Payloads between an integrator's workflows and the gateway, and its settings.
import { randomBytes } from 'node:crypto'
import { defaultPayloadConverter, type Payload } from '@temporalio/common'
import { expect, test } from 'vitest'
import { createNexusCodec } from '../../nexus/codec.js'
import { readSettings } from '../../nexus/settings.js'
import { deriveKey, encrypt } from '../../runtime/secrets/encryption.js'

const key = randomBytes(32)
const { encode, decode } = createNexusCodec(key)
const elsewhere = encrypt(deriveKey(key, 'temporal payload', ''), Buffer.alloc(0), 'nexus payload')
const payload = defaultPayloadConverter.toPayload({ familyName: 'Lovelace' })

test('what was sealed opens with the same key, and shows nothing', async () => {
  const sealed = await encode([payload, payload])
  expect(JSON.stringify(sealed.map(({ data }) => Buffer.from(data ?? []).toString('latin1')))).not.toContain('Lovelace')
  expect(sealed[0]?.data).not.toEqual(sealed[1]?.data)
  const values = (await decode(sealed)).map(each => defaultPayloadConverter.fromPayload(each))
  expect(values).toEqual([{ familyName: 'Lovelace' }, { familyName: 'Lovelace' }])
})

test.each<[string, (sealed: Payload) => Promise<Payload[]>]>([
  ['is not sealed', () => decode([payload])],
  ['is sealed with another key', sealed => createNexusCodec(randomBytes(32)).decode([sealed])],
  ['was encrypted with the same key for another purpose', sealed => decode([{ ...sealed, data: elsewhere }])],
  ['was changed', sealed => decode([{ ...sealed, data: Buffer.from(sealed.data ?? []).fill(0, 20, 21) }])],
  ['is cut off', sealed => decode([{ ...sealed, data: Buffer.from(sealed.data ?? []).subarray(0, 10) }])],
])('a payload that %s is refused', async (_, open) => {
  const [sealed = {}] = await encode([payload])
  await expect(open(sealed)).rejects.toThrow()
})

test('a gateway without its settings names all of them', () => {
  expect(() => readSettings({ ARMATURE_URL: 'armature.example', ARMATURE_CLIENT_ID: 'a' })).toThrow(
    'missing or wrong: ARMATURE_CLIENT_SECRET, NEXUS_ENCRYPTION_KEY, ARMATURE_URL',
  )
})
