// Seals what crosses Temporal between an integrator's workflows and the gateway.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Payload, PayloadCodec } from '@temporalio/common'
import proto from '@temporalio/proto'

const { Payload: Message } = proto.temporal.api.common.v1
const algorithm = 'aes-256-gcm'
const encoding = 'binary/armature-nexus'
const [ivBytes, tagBytes] = [12, 16]

/**
 * Creates a codec that seals every payload with AES-256-GCM. The gateway and the workers that call it share the key, so only
 * workers with the key can call it.
 * @param key 32 bytes. @throws Error for a payload that is not sealed with this key.
 */
export function createNexusCodec(key: Buffer): PayloadCodec {
  const sealed = (payload: Payload): Payload => {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv(algorithm, key, iv)
    const data = [iv, cipher.update(Message.encode(payload).finish()), cipher.final(), cipher.getAuthTag()]
    return { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.concat(data) }
  }
  const opened = ({ metadata, data }: Payload): Payload => {
    if (Buffer.from(metadata?.encoding ?? []).toString() !== encoding) throw new Error('A payload is not sealed')
    const bytes = Buffer.from(data ?? [])
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    return Message.decode(Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]))
  }
  return {
    encode: async payloads => payloads.map(sealed),
    decode: async payloads => payloads.map(opened),
  }
}
