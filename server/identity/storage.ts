// The storage of the identity service: clients, whose secrets it checks, and what it remembers of people who sign in.
import { hash, timingSafeEqual } from 'node:crypto'
import type { Adapter, AdapterPayload, Client } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import { isOutage } from '../../db/errors.js'
import type { ClientStore } from '../../db/identity/clients.js'
import type { OidcRecords } from '../../db/identity/oidc-records.js'
import { temporalUiClient } from '../../runtime/secrets/actors.js'
import { isScope } from '../../runtime/secrets/scopes.js'
import { unmatchableHash } from '../../runtime/secrets/secrets.js'
import { addressOf } from '../middleware/rate-limit.js'
import { type SecretCheck, SecretNotChecked } from './secret-check.js'

/**
 * Creates the storage of the identity service: clients, which it only reads, and records of people who sign in. Access tokens contain all
 * their data and are not stored. A database outage becomes the OAuth error `temporarily_unavailable` with status 503.
 * @param recordsOf returns the records of one kind, such as `Session`.
 */
export const storage = (clients: ClientStore, recordsOf: (kind: string) => OidcRecords, secretHashCost: number) => {
  // Stands in for unknown and disabled clients. No secret matches it, and refusing takes as long as for a real client.
  const unknownClient = metadata('unknown', [unmatchableHash(secretHashCost)], [], '')
  const clientAdapter: Adapter = {
    async find(clientId) {
      const ctx = Provider.ctx
      if (ctx) ctx.state.sentClientId = clientId
      const client = await clients.byClientId(clientId).catch(rethrowOutage)
      return client && !client.disabled
        ? metadata(client.clientId, client.secretHashes, client.scopes.filter(isScope), client.tenantKey)
        : unknownClient
    },
    upsert: refuse,
    findByUserCode: refuse,
    findByUid: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  }
  return (kind: string): Adapter => (kind === 'Client' ? clientAdapter : recordAdapter(recordsOf(kind)))
}

const recordAdapter = (records: OidcRecords): Adapter => ({
  find: id => records.find(id).catch(rethrowOutage),
  findByUid: uid => records.findByUid(uid).catch(rethrowOutage),
  async upsert(id, payload, seconds) {
    if (seconds === undefined) throw new Error('The identity service stores nothing for good.')
    await records.upsert(id, payload, seconds).catch(rethrowOutage)
  },
  async destroy(id) {
    await records.destroy(id).catch(rethrowOutage)
  },
  revokeByGrantId: id => records.revokeByGrantId(id).catch(rethrowOutage),
  async consume(id) {
    if (!(await records.consume(id).catch(rethrowOutage))) throw new errors.InvalidGrant('the code was used before')
  },
  findByUserCode: refuse,
})

/**
 * Replaces the library's comparison of secrets: it compares with the stored hashes, in the background, a limited number
 * at a time.
 */
export const compareSecret = (check: SecretCheck) =>
  async function (this: Client, secret: string): Promise<boolean> {
    const ctx = Provider.ctx
    if (!ctx || typeof this.clientSecret !== 'string') return false
    // The one client whose secret is a setting, and long.
    if (this.clientId === temporalUiClient) return timingSafeEqual(digestOf(secret), digestOf(this.clientSecret))
    const { sentClientId: clientId } = ctx.state
    const hashes = this.clientSecret.split(hashSeparator)
    return check({ address: addressOf(ctx), clientId, secret, hashes }).catch((error: unknown) => {
      if (!(error instanceof SecretNotChecked)) throw error
      ctx.set('Retry-After', String(error.retryAfterSeconds))
      throw error.reason === 'busy' ? busy() : tooManyWrong(error.retryAfterSeconds)
    })
  }

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer')

const busy = () =>
  withStatus(503, new errors.TemporarilyUnavailable('Too many secrets are waiting to be checked. Please try again.'))

const tooManyWrong = (seconds: number) =>
  withStatus(
    429,
    new errors.CustomOIDCProviderError(
      'too_many_requests',
      `Too many wrong secrets of this client, or from this address. Try again in ${seconds} s.`,
    ),
  )

const withStatus = (status: number, error: Error): Error => Object.assign(error, { status, statusCode: status })

/** Returns the key of the tenant that owns a client. */
export const tenantOf = (client: Client | undefined): string => String(client?.tenant_key)

/** Joins the hashes of a client's secrets where the library has room for one text. No hash contains it. */
const hashSeparator = ' '

function metadata(clientId: string, secretHashes: string[], scopes: string[], tenantKey: string): AdapterPayload {
  return {
    client_id: clientId,
    client_secret: secretHashes.join(hashSeparator),
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    tenant_key: tenantKey,
  }
}

async function refuse(): Promise<never> {
  throw new Error('The identity service stores no such thing.')
}

function rethrowOutage(error: unknown): never {
  if (!isOutage(error)) throw error
  const sentence = 'The identity service cannot reach its database at the moment. Please try again.'
  throw withStatus(503, new errors.TemporarilyUnavailable(sentence, { cause: error }))
}
