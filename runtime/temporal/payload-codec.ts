// Encrypts Temporal payloads and binds them to their workflow.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common'
import proto from '@temporalio/proto'
import { LRUCache } from 'lru-cache'
import { type EncryptionKeys, keyId, otherKey } from '../secrets/encryption-keys.js'

const { Payload: Message } = proto.temporal.api.common.v1

/** A payload that none of our keys opens, or that was changed. The message is a sentence for operators. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
}

/**
 * A payload that was not sealed for the workflow that it came to, in place of which workflows get `{[refusedMember]: why}`. Thrown, it would
 * fail the workflow's task again and again, and the run would never end.
 */
class NotForThisRun extends CannotOpen {}

/** Also named in workflows/interceptors.ts, whose sandbox takes no modules of Node. */
const refusedMember = 'armature-refused'
const refusedPayload = ({ message }: Error): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify({ [refusedMember]: message })),
})

interface CodecOptions {
  /** Of a worker of workflows: is told what it refuses of a workflow's input and signals, which then gives no orders and ends as refused. */
  refused?: ((error: Error) => void) | undefined
}

const encoding = 'binary/encrypted'
const ownerField = 'encryption-workflow-id'
const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16
/** Tenants and master keys whose derived keys are kept: deriving takes as long as sealing two payloads. */
const maxDerived = 10_000

/**
 * Seals payloads for Temporal with AES-256-GCM, by a key for each tenant (HKDF-SHA256), named `<id of
 * ENCRYPTION_KEY>/<tenant>`. A payload names its workflow and opens in that workflow alone. Without a context, as in
 * the UI's endpoint, unsealed payloads pass unchanged.
 * @throws CannotOpen where no key opens a payload, or where it is of another run.
 */
export function createPayloadCodec({ current, old }: EncryptionKeys, { refused }: CodecOptions = {}): PayloadCodec {
  const masters = new Map([current, ...old].map(key => [keyId(key), key]))
  const currentId = keyId(current)
  const derived = new LRUCache<string, Buffer>({ max: maxDerived })

  function keyNamed(name: string): Buffer {
    const known = derived.get(name)
    if (known) return known
    const [id = '', tenantKey = ''] = name.split('/')
    const master = masters.get(id)
    if (!master) throw new CannotOpen(otherKey('this payload', id, { current, old }))
    const key = Buffer.from(hkdfSync('sha256', master, '', `temporal payload/${tenantKey}`, 32))
    derived.set(name, key)
    return key
  }

  // Synchronous: for payloads of some hundred bytes a way through the thread pool would take longer than the cipher.
  function seal(payload: Payload, name: string, owner: string | undefined): Payload {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv(algorithm, keyNamed(name), iv).setAAD(authenticated(name, owner))
    const sealed = [iv, cipher.update(Message.encode(payload).finish()), cipher.final(), cipher.getAuthTag()]
    return {
      metadata: {
        encoding: Buffer.from(encoding),
        'encryption-key-id': Buffer.from(name),
        ...(owner === undefined ? {} : { [ownerField]: Buffer.from(owner) }),
      },
      data: Buffer.concat(sealed),
    }
  }

  function open(payload: Payload, context: SerializationContext | undefined): Payload {
    const bytes = payload.metadata?.[ownerField]
    const owner = bytes ? textOf(bytes) : undefined
    const isSealed = textOf(payload.metadata?.encoding) === encoding
    const opener = ownerOf(context)
    if (opener !== undefined) {
      if (!isSealed || owner === undefined) throw new NotForThisRun(`A payload for ${opener} is not sealed for it.`)
      if (!isOf(opener, owner)) throw new NotForThisRun(`A payload for ${opener} was sealed for another run.`)
    }
    if (!isSealed) return payload
    const name = textOf(payload.metadata?.['encryption-key-id'])
    const data = Buffer.from(payload.data ?? [])
    const key = keyNamed(name)
    try {
      const opened = createDecipheriv(algorithm, key, data.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(authenticated(name, owner))
        .setAuthTag(data.subarray(-tagBytes))
      return Message.decode(Buffer.concat([opened.update(data.subarray(ivBytes, -tagBytes)), opened.final()]))
    } catch (cause) {
      throw new NotForThisRun(`A sealed payload does not open with its key ${name}: it was changed or is damaged.`, {
        cause,
      })
    }
  }

  function openOrRefuse(payload: Payload, context: SerializationContext | undefined): Payload {
    try {
      return open(payload, context)
    } catch (error) {
      // A key that is missing may be there with the next start of the process.
      if (!(error instanceof NotForThisRun) || !refused || context?.type !== 'workflow') throw error
      refused(error)
      return refusedPayload(error)
    }
  }

  return {
    async encode(payloads, context) {
      const tenantKey = tenantOf(context)
      const name = tenantKey ? `${currentId}/${tenantKey}` : currentId
      return payloads.map(payload => seal(payload, name, ownerOf(context)))
    },
    decode: async (payloads, context) => payloads.map(payload => openOrRefuse(payload, context)),
  }
}

/**
 * The tenant is the first part of a workflow's id, and of the id of an activity that runs without a workflow. The SDK gives no
 * context for memos of schedules, for failures of workflow tasks and for activities that are ended by their token.
 */
function tenantOf(context: SerializationContext | undefined): string | undefined {
  return /^([\w-]+)\//.exec(ownerOf(context) ?? '')?.[1]
}

/** The workflow, or the activity that runs without one. */
const ownerOf = (context: SerializationContext | undefined): string | undefined =>
  context?.workflowId || (context?.type === 'activity' ? context.activityId : undefined)

/**
 * The runs of a schedule have the time behind the id that their input was sealed for. They are one: the next is given the result
 * of the last.
 */
const isOf = (opener: string, owner: string): boolean => withoutTime(opener) === withoutTime(owner)

const withoutTime = (workflowId: string): string => workflowId.replace(/-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, '')

const authenticated = (name: string, owner: string | undefined) =>
  Buffer.from(owner === undefined ? name : `${name}\0${owner}`)

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString()
