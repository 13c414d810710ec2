// Encrypts Temporal payloads and binds them to their workflow.
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common'
import proto from '@temporalio/proto'
import { LRUCache } from 'lru-cache'
import { decrypt, deriveKey, encrypt } from '../secrets/encryption.js'
import { type EncryptionKeys, keyId, otherKey } from '../secrets/encryption-keys.js'

const { Payload: Message } = proto.temporal.api.common.v1

/**
 * Thrown for a payload that none of our keys opens or that was tampered with. The message is a sentence for operators.
 */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
}

/**
 * Thrown for a payload that was not sealed for the workflow that received it. Workers get `{[refusedMember]: why}` in
 * its place: throwing would fail the task again and again, and the run would never end.
 */
class NotForThisRun extends CannotOpen {}

/** Repeated in workflows/interceptors.ts, because its sandbox cannot import modules that use Node. */
const refusedMember = 'armature-refused'
const refusedPayload = ({ message }: Error): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify({ [refusedMember]: message })),
})

/** Returns why an activity's input was refused, or undefined if it was sealed for its run. */
export function refusalIn([input]: readonly unknown[]): string | undefined {
  const why: unknown = Object(input)[refusedMember]
  return typeof why === 'string' ? why : undefined
}

interface CodecOptions {
  /**
   * Called with the reason when a worker rejects an input, a signal or a result. The run then fails, but ignores a
   * signal. Without this function, decoding such payloads throws.
   */
  refused?: ((error: Error) => void) | undefined
}

const encoding = 'binary/encrypted'
const ownerField = 'encryption-workflow-id'
/** Maximum number of derived keys in the cache. Deriving one takes as long as sealing two payloads. */
const maxDerived = 10_000

/**
 * True for the one payload that Temporal makes itself: its word for the cancellation of an activity that was waiting for its
 * next attempt.
 */
const isOfTemporal = ({ data }: Payload): boolean => textOf(data) === '"ACTIVITY_ID_NOT_STARTED"'

/**
 * Creates the codec that encrypts payloads for Temporal with AES-256-GCM. Each tenant has a key (HKDF-SHA256), named
 * `<id of ENCRYPTION_KEY>/<tenant>`. A payload names its workflow and can be opened by that workflow only. Without a
 * context, as in the endpoint for the Temporal UI, the workflow is not checked and unsealed payloads pass unchanged.
 * @throws CannotOpen if no key opens a payload, or if it belongs to another run.
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
    const key = deriveKey(master, 'temporal payload', tenantKey)
    derived.set(name, key)
    return key
  }

  function seal(payload: Payload, name: string, owner: string | undefined): Payload {
    return {
      metadata: {
        encoding: Buffer.from(encoding),
        'encryption-key-id': Buffer.from(name),
        ...(owner === undefined ? {} : { [ownerField]: Buffer.from(owner) }),
      },
      data: encrypt(keyNamed(name), Message.encode(payload).finish(), authenticated(name, owner)),
    }
  }

  function open(payload: Payload, context: SerializationContext | undefined): Payload {
    const bytes = payload.metadata?.[ownerField]
    const owner = bytes ? textOf(bytes) : undefined
    const isSealed = textOf(payload.metadata?.encoding) === encoding
    if (!isSealed && isOfTemporal(payload)) return payload
    const opener = ownerOf(context)
    if (opener !== undefined) {
      if (!isSealed || owner === undefined) throw new NotForThisRun(`A payload for ${opener} is not sealed for it.`)
      if (!isOf(opener, owner)) throw new NotForThisRun(`A payload for ${opener} was sealed for another run.`)
    }
    if (!isSealed) return payload
    const name = textOf(payload.metadata?.['encryption-key-id'])
    const key = keyNamed(name)
    try {
      return Message.decode(decrypt(key, Buffer.from(payload.data ?? []), authenticated(name, owner)))
    } catch (cause) {
      throw new NotForThisRun(`A sealed payload does not open with its key ${name}: it was changed or is damaged.`, {
        cause,
      })
    }
  }

  /** Opens a payload. If it is not for this run, a worker gets the reason in its place. */
  function openOrRefuse(payload: Payload, context: SerializationContext | undefined): Payload {
    try {
      return open(payload, context)
    } catch (error) {
      // A missing key is no reason to refuse: it may be configured the next time the process starts.
      if (!(error instanceof NotForThisRun) || !refused) throw error
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
 * Returns the tenant, which is the first part of a workflow's id and of the id of a standalone activity. The SDK
 * provides no context for memos of schedules, for failures of workflow tasks and for activities that are completed by
 * token.
 */
function tenantOf(context: SerializationContext | undefined): string | undefined {
  return /^([\w-]+)\//.exec(ownerOf(context) ?? '')?.[1]
}

/** Returns the id of the workflow, or of a standalone activity. */
const ownerOf = (context: SerializationContext | undefined): string | undefined =>
  context?.workflowId || (context?.type === 'activity' ? context.activityId : undefined)

/**
 * Tells whether a payload was sealed for this workflow. A schedule seals its input for an id to which each run adds its
 * time, so that part is ignored. All runs of a schedule count as one workflow, because each receives the result of the
 * one before.
 */
const isOf = (opener: string, owner: string): boolean => withoutTime(opener) === withoutTime(owner)

const withoutTime = (workflowId: string): string => workflowId.replace(/-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, '')

const authenticated = (name: string, owner: string | undefined): string =>
  owner === undefined ? name : `${name}\0${owner}`

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString()
