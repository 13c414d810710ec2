// Signs people in with another issuer, such as that of their employer. Their accounts are here; the issuer says who they are.
import { hash } from 'node:crypto'
import * as oidc from 'openid-client'
import type { OidcRecords } from '../../db/identity/oidc-records.js'
import { isLoopback } from '../../runtime/settings/loopback.js'

/** The issuer, and our client there. */
export interface UpstreamSettings {
  issuer: string
  clientId: string
  /** Undefined for a public client. */
  clientSecret: string | undefined
}

/** Who somebody is, as the issuer says. */
export interface UpstreamPerson {
  /** The tenant that the person has named here. */
  tenantKey: string
  /** SHA-256 of the issuer and the person's `sub` there. */
  subject: string
  /** Undefined if the issuer has not verified it. */
  email: string | undefined
}

export type Upstream = ReturnType<typeof createUpstream>

/** Where the issuer leads browsers back to, below the identity service. */
export const upstreamPath = '/upstream'

/** How long an issuer that has not answered is left alone, in ms. Meanwhile people with passwords do not wait for it. */
const failedPauseMs = 5_000

/** How long a person may take at the issuer, in seconds. */
const lifeSeconds = 1_800

/** Creates the client of the issuer. @param records what is remembered of sign-ins under way, by their `state`. */
export function createUpstream(settings: UpstreamSettings, publicUrl: string, records: OidcRecords) {
  const issuer = new URL(settings.issuer)
  const redirectUri = `${publicUrl}/identity${upstreamPath}`
  const isInsecure = issuer.protocol === 'http:' && isLoopback(issuer.hostname)
  let read: Promise<oidc.Configuration> | undefined

  /** Reads the issuer's metadata, until it has answered once. */
  function configuration(): Promise<oidc.Configuration> {
    const { clientId, clientSecret } = settings
    const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretPost(clientSecret)
    const execute = [oidc.enableNonRepudiationChecks, ...(isInsecure ? [oidc.allowInsecureRequests] : [])]
    read ??= oidc.discovery(issuer, clientId, undefined, authentication, { execute, timeout: 5 }).catch(error => {
      setTimeout(() => {
        read = undefined
      }, failedPauseMs).unref()
      throw error
    })
    return read
  }

  return {
    /** Name of the issuer for people. */
    name: issuer.host,

    /** Returns the origin that browsers are led to; undefined while the issuer does not answer. */
    async origin(): Promise<string | undefined> {
      const metadata = await configuration().then(
        found => found.serverMetadata(),
        () => undefined,
      )
      return metadata?.authorization_endpoint && new URL(metadata.authorization_endpoint).origin
    },

    /** Begins a sign-in. @param interaction our own, to which it belongs. @returns the address to lead the browser to. */
    async begin(interaction: string, tenantKey: string): Promise<string> {
      const found = await configuration()
      const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
      await records.upsert(state, { interaction, tenantKey, verifier, nonce }, lifeSeconds)
      return oidc.buildAuthorizationUrl(found, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      }).href
    },

    /** Returns our own interaction to which the answer of the issuer belongs. */
    async interactionOf(answer: URLSearchParams): Promise<string | undefined> {
      const begun = await records.find(answer.get('state') ?? '')
      return typeof begun?.interaction === 'string' ? begun.interaction : undefined
    },

    /**
     * Takes the answer of the issuer, once, for the interaction that the browser has begun.
     * @returns undefined if it belongs to another one, or was taken before. @throws if the issuer refuses, or its answer is not valid.
     */
    async finish(interaction: string, answer: URLSearchParams): Promise<UpstreamPerson | undefined> {
      const state = answer.get('state') ?? ''
      const begun = await records.find(state)
      if (begun?.interaction !== interaction || !(await records.consume(state))) return undefined
      const tokens = await oidc.authorizationCodeGrant(await configuration(), new URL(`?${answer}`, redirectUri), {
        pkceCodeVerifier: String(begun.verifier),
        expectedNonce: String(begun.nonce),
        expectedState: state,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      return {
        tenantKey: String(begun.tenantKey),
        subject: hash('sha256', `${settings.issuer}\n${claims?.sub}`, 'hex'),
        email: claims?.email_verified === true && typeof claims.email === 'string' ? claims.email : undefined,
      }
    },
  }
}
