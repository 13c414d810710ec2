// Lets a person set up a second factor: an authenticator app, which shows that it has the secret by a code, or a passkey.
import { randomBytes } from 'node:crypto'
import type { Context } from 'koa'
import type { Account } from '../../db/identity/accounts.js'
import type { OidcRecords } from '../../db/identity/oidc-records.js'
import type { SecondFactors } from '../../db/identity/second-factors.js'
import {
  appWith,
  inGroups,
  newAppSecret,
  newRecoveryCodes,
  type PasskeyParty,
  passkeyCreation,
  passkeyMade,
  pictureOf,
} from './factors.js'
import { showPage } from './pages.js'
import { asPerson } from './person-action.js'

interface SetupOptions {
  /** What is remembered of those who set up a factor. */
  records: OidcRecords
  secondFactors: SecondFactors
  /** Undefined if browsers make no passkeys for our address. */
  party: PasskeyParty | undefined
}

/** How long to set up a factor may take, in seconds. */
const lifeSeconds = 1_800
const maxName = 100

const setUpAlready =
  'The form was sent twice, and the second factor is set up. If you have seen no recovery codes, make new ones on the page of your account.'

export type FactorSetup = ReturnType<typeof factorSetup>

export function factorSetup({ records, secondFactors, party }: SetupOptions) {
  /** Returns the secret of the app and the challenge for a passkey. They stay the same until a factor is set up. */
  async function begun(key: string, { id }: Account): Promise<{ secret: string; challenge: string }> {
    const found = await records.find(key)
    if (found?.accountId === id) return { secret: String(found.secret), challenge: String(found.challenge) }
    const made = { secret: newAppSecret(), challenge: randomBytes(32).toString('base64url') }
    await records.upsert(key, { accountId: id, ...made }, lifeSeconds)
    return made
  }

  /** Shows how to set up a factor. @param key of the sign-in or the session that it belongs to. @param isAsked whether the person has to. */
  async function show(ctx: Context, account: Account, key: string, isAsked: boolean, refusal?: string): Promise<void> {
    const { secret, challenge } = await begun(key, account)
    const passkey = party && (await passkeyCreation(challenge, party, account, await secondFactors.of(account)))
    showPage(ctx, refusal ? 400 : 200, 'setUpFactor', {
      title: 'Set up a second factor',
      isAsked,
      picture: pictureOf(secret, account),
      secret: inGroups(secret),
      passkey: passkey ?? null,
      ...(refusal === undefined ? {} : { refusal }),
    })
  }

  return {
    show,

    /**
     * Sets up the factor that the page has sent, or shows the page again.
     * @returns the recovery codes that came with the first factor, for the person alone; undefined if none was set up.
     */
    async finish(
      ctx: Context,
      account: Account,
      key: string,
      isAsked: boolean,
      fields: ReadonlyMap<string, string>,
    ): Promise<string[] | undefined> {
      const { secret, challenge } = await begun(key, account)
      const [passkey = '', code = '', typedName = ''] = ['passkey', 'code', 'name'].map(name => fields.get(name))
      const name = typedName.trim().slice(0, maxName)
      const made = passkey && party ? await passkeyMade(passkey, name, challenge, party) : appWith(secret, code, name)
      if (!made) {
        const refusal = passkey
          ? 'The passkey was not accepted. Try again.'
          : 'The code is wrong. Type the one that the app shows now, and check that the clock of its device is right.'
        await show(ctx, account, key, isAsked, refusal)
        return undefined
      }
      // A form that is sent twice sets up one factor.
      if (!(await records.destroy(key))) {
        showPage(ctx, 400, 'notice', { title: 'Set up already', text: setUpAlready })
        return undefined
      }
      const { codes, data } = newRecoveryCodes()
      const isFirst = await asPerson(ctx, account, 'addSecondFactor', () => secondFactors.add(account, made, data))
      return isFirst ? codes : []
    },
  }
}
