// Client storage of the identity service.
import type { Adapter, AdapterPayload, Client } from 'oidc-provider'
import { isOutage } from '../../db/errors.js'
import type { ClientStore } from '../../db/identity/clients.js'
import { isScope } from '../../runtime/scopes.js'
import { unmatchableHash } from '../../runtime/secrets.js'
import { addressOf } from '../middleware/rate-limit.js'
import { errors, Provider } from './provider-library.js'
import { type SecretCheck, SecretNotChecked } from './secret-check.js'

/**
 * Storage of the identity service: it reads clients and keeps nothing, because tokens carry all they say.
 * A database outage is the OAuth error `temporarily_unavailable` with status 503.
 */
export const storage = (clients: ClientStore, secretHashCost: number) => {
  // Stands for every unknown and disabled client: no secret opens it, and refusing takes as long as for a real one.
  const unknownClient = metadata('unknown', unmatchableHash(secretHashCost), [], '')
  return (): Adapter => ({
    async find(clientId) {
      const ctx = Provider.ctx
      if (ctx) ctx.state.sentClientId = clientId
      const client = await clients.byClientId(clientId).catch(translated)
      return client && !client.disabled
        ? metadata(client.clientId, client.secretHash, client.scopes.filter(isScope), client.tenantKey)
        : unknownClient
    },
    upsert: keepsNothing,
    findByUserCode: keepsNothing,
    findByUid: keepsNothing,
    consume: keepsNothing,
    destroy: keepsNothing,
    revokeByGrantId: keepsNothing,
  })
}

/** How the library compares a secret with a client's: against the stored hash, off the event loop, and not for everybody at once. */
export const compareSecret = (check: SecretCheck) =>
  async function (this: Client, secret: string): Promise<boolean> {
    const ctx = Provider.ctx
    if (!ctx || typeof this.clientSecret !== 'string') return false
    const { sentClientId: clientId } = ctx.state
    return check({ address: addressOf(ctx), clientId, secret, hash: this.clientSecret }).catch((error: unknown) => {
      if (!(error instanceof SecretNotChecked)) throw error
      ctx.set('Retry-After', String(error.retryAfterSeconds))
      throw error.reason === 'busy' ? busy() : tooManyWrong(error.retryAfterSeconds)
    })
  }

const busy = () =>
  withStatus(503, new errors.TemporarilyUnavailable('Too many secrets wait to be checked. Please try again.'))

const tooManyWrong = (seconds: number) =>
  withStatus(
    429,
    new errors.CustomOIDCProviderError(
      'too_many_requests',
      `Too many wrong secrets of this client, or from this address. Try again in ${seconds} s.`,
    ),
  )

const withStatus = (status: number, error: Error): Error => Object.assign(error, { status, statusCode: status })

/** The tenant that owns a client. */
export const tenantOf = (client: Client | undefined): string => String(client?.tenant_key)

function metadata(clientId: string, secretHash: string, scopes: string[], tenantKey: string): AdapterPayload {
  return {
    client_id: clientId,
    client_secret: secretHash,
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    tenant_key: tenantKey,
  }
}

async function keepsNothing(): Promise<never> {
  throw new Error('The identity service keeps no tokens and no sessions.')
}

function translated(error: unknown): never {
  if (!isOutage(error)) throw error
  const sentence = 'The identity service cannot reach its database at the moment. Please try again.'
  throw withStatus(503, new errors.TemporarilyUnavailable(sentence, { cause: error }))
}
