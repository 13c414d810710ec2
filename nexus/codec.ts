// Seals what crosses Temporal between an integrator's workflows and the gateway.
import type { Payload, PayloadCodec } from '@temporalio/common'
import proto from '@temporalio/proto'
import { decrypt, deriveKey, encrypt } from '../runtime/secrets/encryption.js'

const { Payload: Message } = proto.temporal.api.common.v1
const encoding = 'binary/armature-nexus'
const purpose = 'nexus payload'

/**
 * Creates a codec that seals every payload with AES-256-GCM. The gateway and the workers that call it share the secret, so
 * only workers that have it can call the gateway. The payloads are encrypted with a key derived for this purpose, so
 * nothing else that was encrypted with the same secret passes for one.
 * @param secret 32 bytes. @throws Error for a payload that is not sealed with this secret.
 */
export function createNexusCodec(secret: Buffer): PayloadCodec {
  const key = deriveKey(secret, purpose, '')
  const sealed = (payload: Payload): Payload => ({
    metadata: { encoding: Buffer.from(encoding) },
    data: encrypt(key, Message.encode(payload).finish(), purpose),
  })
  const opened = ({ metadata, data }: Payload): Payload => {
    if (Buffer.from(metadata?.encoding ?? []).toString() !== encoding) throw new Error('A payload is not sealed')
    return Message.decode(decrypt(key, Buffer.from(data ?? []), purpose))
  }
  return {
    encode: async payloads => payloads.map(sealed),
    decode: async payloads => payloads.map(opened),
  }
}
