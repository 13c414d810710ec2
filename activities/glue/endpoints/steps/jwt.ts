// The pipeline step `jwt`, which signs a token with a key of the tenant.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { secretNamed } from '../../../../db/glue/endpoints/secret-hosts.js'
import type { JwtStep, OpenedGlue } from '../../../../db/glue/endpoints/settings.js'
import { newId } from '../../../../runtime/ids.js'
import { endpointFailed } from '../step-problems.js'
import { type StepContext, texts } from './step.js'

type Key = KeyObject | Uint8Array

/** Parsed keys, because parsing a private key takes longer than signing with it. They are dropped with the settings. */
const readKeys = new WeakMap<OpenedGlue, Map<string, Key>>()

/**
 * Makes a signed token.
 * @throws Problem when the key does not fit the algorithm; the message contains nothing of the key.
 */
export async function jwt(context: StepContext, step: JwtStep): Promise<string> {
  const claims = await texts(context, 'claims', step.claims)
  const now = Math.floor(Date.now() / 1000)
  try {
    return await new SignJWT({ jti: newId(), ...Object.fromEntries(claims) })
      .setProtectedHeader({ alg: step.algorithm, typ: 'JWT', ...(step.keyId === undefined ? {} : { kid: step.keyId }) })
      .setIssuedAt(now)
      .setExpirationTime(now + step.expiresInSeconds)
      .sign(keyOf(context, step))
  } catch {
    throw endpointFailed(context.name, `its key is not a private key for ${step.algorithm}`)
  }
}

function keyOf(context: StepContext, { key: template, algorithm }: JwtStep): Key {
  const known = readKeys.get(context.glue) ?? new Map<string, Key>()
  readKeys.set(context.glue, known)
  const id = `${algorithm} ${template}`
  const key = known.get(id) ?? parseKey(secretNamed(context.glue, template).value.trim(), algorithm)
  known.set(id, key)
  return key
}

function parseKey(key: string, algorithm: string): Key {
  if (algorithm === 'HS256') return new TextEncoder().encode(key)
  return createPrivateKey(key.startsWith('{') ? { key: JSON.parse(key), format: 'jwk' } : key)
}
