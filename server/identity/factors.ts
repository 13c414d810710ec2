// Makes and checks second factors: codes of authenticator apps, recovery codes and passkeys. It stores nothing.
import { hash, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import {
  type AuthenticationResponseJSON,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { generate } from 'lean-qr'
import { toSvgDataURL } from 'lean-qr/extras/svg'
import { Secret, TOTP } from 'otpauth'
import type { Account } from '../../db/identity/accounts.js'
import type { AppData, Factor, PasskeyData, RecoveryData } from '../../db/identity/second-factors.js'

/** Our name in apps and on devices. */
const issuer = 'Armature'
const periodSeconds = 30
const recoveryCodes = 10

/** To whom passkeys belong (WebAuthn's relying party): the host and the origin at which people see us. */
export interface PasskeyParty {
  host: string
  origin: string
}

/** Returns the party of a public address; undefined for an IP address, for which browsers make no passkeys. */
export function passkeyParty(publicUrl: string): PasskeyParty | undefined {
  const { hostname: host, origin } = new URL(publicUrl)
  return isIP(host.replace(/^\[|\]$/g, '')) ? undefined : { host, origin }
}

/** Lets a factor be proven: returns the one that is, as it is stored from then on, or undefined. */
export type Prove = (factors: Factor[]) => Promise<Factor | undefined>

/** Returns a random secret of an app, of 160 bits as RFC 4226 advises. */
export const newAppSecret = (): string => new Secret({ size: 20 }).base32

/** Returns the picture with which an app takes up a secret, as an address of an image. */
export const pictureOf = (secret: string, { email }: Account): string =>
  toSvgDataURL(generate(new TOTP({ issuer, label: email, secret, period: periodSeconds }).toString()), {
    on: 'black',
    off: 'white',
  })

/** Returns an app that has made this code of its secret; undefined if it has not. */
export function appWith(secret: string, code: string, name: string): AppData | undefined {
  const step = stepOf(secret, withoutGaps(code))
  return step === undefined ? undefined : { kind: 'app', name: name || 'Authenticator app', secret, lastStep: step }
}

/** Returns the time step of a code; undefined if it is none. Clocks may differ by a step. */
function stepOf(secret: string, code: string): number | undefined {
  const timestamp = Date.now()
  const delta = new TOTP({ secret, period: periodSeconds }).validate({ token: code, timestamp, window: 1 })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / periodSeconds) + delta
}

/** Makes ten recovery codes of 80 bits, which a hash protects without salt and rounds. @returns them for the person, and for the database. */
export function newRecoveryCodes(): { codes: string[]; data: RecoveryData } {
  const codes = Array.from({ length: recoveryCodes }, () =>
    inGroups(Secret.fromHex(randomBytes(10).toString('hex')).base32.toLowerCase(), '-'),
  )
  return { codes, data: { kind: 'recovery', hashes: codes.map(code => hashOf(withoutGaps(code))) } }
}

/** Splits a text into groups of four characters, which people read more easily. */
export const inGroups = (text: string, gap = ' '): string => text.replace(/.{4}(?=.)/g, `$&${gap}`)

const withoutGaps = (code: string): string => code.replace(/[\s-]/g, '').toLowerCase()
const hashOf = (code: string): string => hash('sha256', code, 'hex')

/** Proves an app by its code, which is not accepted again, or uses a recovery code up. */
export const provenByCode =
  (typed: string): Prove =>
  async factors => {
    const code = withoutGaps(typed)
    for (const factor of factors) {
      const { data } = factor
      if (data.kind === 'app') {
        const step = stepOf(data.secret, code)
        if (step !== undefined && step > data.lastStep) return { ...factor, data: { ...data, lastStep: step } }
      }
      if (data.kind === 'recovery' && data.hashes.includes(hashOf(code)))
        return { ...factor, data: { ...data, hashes: data.hashes.filter(each => each !== hashOf(code)) } }
    }
    return undefined
  }

const passkeysOf = (factors: readonly Factor[]): PasskeyData[] =>
  factors.flatMap(({ data }) => (data.kind === 'passkey' ? [data] : []))

/** Returns what the browser needs to ask for a passkey, as JSON. @param factors those of the person; none if anybody may sign in. */
export const passkeyRequest = (challenge: string, { host }: PasskeyParty, factors: readonly Factor[] = []): string =>
  JSON.stringify({
    challenge,
    rpId: host,
    userVerification: 'required',
    allowCredentials: passkeysOf(factors).map(({ credentialId: id, transports }) => ({
      type: 'public-key',
      id,
      transports,
    })),
  })

/** Returns the id of the account that a passkey names. @param text what the browser has sent. */
export function accountOfPasskey(text: string): string {
  const answer = answerOf<AuthenticationResponseJSON>(text)
  return Buffer.from(answer?.response?.userHandle ?? '', 'base64url').toString()
}

/** Proves a passkey by what the browser has sent. The device has verified that the person is there, by a PIN or a finger. */
export const provenByPasskey =
  (text: string, challenge: string, { host, origin }: PasskeyParty): Prove =>
  async factors => {
    const response = answerOf<AuthenticationResponseJSON>(text)
    for (const factor of factors) {
      const { data } = factor
      if (data.kind !== 'passkey' || data.credentialId !== response?.id) continue
      const publicKey = new Uint8Array(Buffer.from(data.publicKey, 'base64url'))
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: host,
        credential: { id: data.credentialId, publicKey, counter: data.counter },
      }).catch(() => ({ verified: false, authenticationInfo: undefined }))
      if (verified && authenticationInfo)
        return { ...factor, data: { ...data, counter: authenticationInfo.newCounter } }
    }
    return undefined
  }

/** Returns what the browser needs to make a passkey, as JSON. @param factors of the person: a device that has one makes no second. */
export async function passkeyCreation(
  challenge: string,
  { host }: PasskeyParty,
  { id, email, name }: Account,
  factors: readonly Factor[],
): Promise<string> {
  const options = await generateRegistrationOptions({
    rpName: issuer,
    rpID: host,
    userName: email,
    userDisplayName: name,
    userID: new Uint8Array(Buffer.from(id)),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    excludeCredentials: passkeysOf(factors).map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return JSON.stringify(options)
}

/** Returns the passkey that the browser has made; undefined if what it has sent is not valid. */
export async function passkeyMade(
  text: string,
  name: string,
  challenge: string,
  { host, origin }: PasskeyParty,
): Promise<PasskeyData | undefined> {
  const response = answerOf<RegistrationResponseJSON>(text)
  if (!response) return undefined
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
  }).catch(() => ({ registrationInfo: undefined }))
  if (!registrationInfo) return undefined
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return {
    kind: 'passkey',
    name: name || 'Passkey',
    credentialId: id,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: [...transports],
  }
}

/** Reads what a browser has sent. The library checks its members. */
function answerOf<Answer extends object>(text: string): Answer | undefined {
  try {
    const answer: Answer | null = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined
  }
}
