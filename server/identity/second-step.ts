// The step of a sign-in after the password: proving a second factor, or setting one up where it is required.
import type { Context } from 'koa'
import type { Account } from '../../db/identity/accounts.js'
import type { SignInStores } from '../../db/identity/sign-in-stores.js'
import { platformTenant } from '../../runtime/secrets/roles.js'
import { countWrongCredential } from '../middleware/rate-limit.js'
import type { FactorSetup } from './factor-setup.js'
import { accountOfPasskey, type PasskeyParty, passkeyRequest, provenByCode, provenByPasskey } from './factors.js'
import { type LockOut, lockedText } from './lock-out.js'
import { showPage } from './pages.js'

/** Who needs a second factor: nobody, people of the platform, or everybody. */
export type SecondFactorRule = 'optional' | 'platform' | 'everybody'

interface SecondStepOptions extends Pick<SignInStores, 'accounts' | 'recordsOf' | 'secondFactors'> {
  rule: SecondFactorRule
  setup: FactorSetup
  lockOut: LockOut
  party: PasskeyParty | undefined
}

/** How long the step may take, in seconds. */
const lifeSeconds = 900

export type SecondStep = ReturnType<typeof secondStep>

/**
 * Creates the step. It is remembered with the account, so that a new password ends it. The challenge for a passkey is the id of the sign-in,
 * which is random, belongs to one browser and ends with it.
 */
export function secondStep({ accounts, recordsOf, secondFactors, rule, setup, lockOut, party }: SecondStepOptions) {
  const records = recordsOf('SecondStep')
  const challengeOf = (uid: string) => Buffer.from(uid).toString('base64url')
  const isRequired = ({ tenantKey }: Account) =>
    rule === 'everybody' || (rule === 'platform' && tenantKey === platformTenant)
  const remember = (uid: string, { id }: Account, isProven: boolean) =>
    records.upsert(uid, { accountId: id, isProven }, lifeSeconds)

  async function show(ctx: Context, uid: string, account: Account, refusal?: string): Promise<void> {
    const factors = await secondFactors.of(account)
    if (factors.length === 0) return setup.show(ctx, account, uid, true, refusal)
    const isPasskey = factors.some(({ data }) => data.kind === 'passkey')
    return showPage(ctx, refusal ? 400 : 200, 'secondFactor', {
      title: 'Second factor',
      email: account.email,
      passkey: party && isPasskey ? passkeyRequest(challengeOf(uid), party, factors) : null,
      ...(refusal === undefined ? {} : { refusal }),
    })
  }

  async function setUp(ctx: Context, uid: string, account: Account, fields: ReadonlyMap<string, string>) {
    const codes = await setup.finish(ctx, account, uid, true, fields)
    if (!codes) return
    await remember(uid, account, true)
    showPage(ctx, 200, 'recoveryCodes', { title: 'Your recovery codes', codes, next: null })
  }

  return {
    /** Begins the step. Returns false if the person needs none. */
    async begin(ctx: Context, uid: string, account: Account): Promise<boolean> {
      if (!isRequired(account) && (await secondFactors.of(account)).length === 0) return false
      await remember(uid, account, false)
      await show(ctx, uid, account)
      return true
    },

    /** Returns who has typed the right password in a sign-in, and has not ended the step. */
    async under(uid: string): Promise<{ account: Account; isProven: boolean } | undefined> {
      const begun = await records.find(uid)
      const account = begun?.accountId === undefined ? undefined : await accounts.byId(begun.accountId)
      return account && !account.disabled ? { account, isProven: begun?.isProven === true } : undefined
    },

    show,

    /** Forgets the step, so that somebody else may sign in. */
    end: (uid: string): Promise<boolean> => records.destroy(uid),

    /** Checks what the page has sent. Returns whether the person has proven a factor; if not, it has shown the next page. */
    async take(ctx: Context, uid: string, account: Account, fields: ReadonlyMap<string, string>): Promise<boolean> {
      if ((await secondFactors.of(account)).length === 0) {
        await setUp(ctx, uid, account, fields)
        return false
      }
      const passkey = party && fields.get('passkey')
      // A passkey cannot be guessed. An attempt at a code counts before it is compared, so that those at the same time all do.
      if (!passkey && (await lockOut.countAttempt(ctx, account))) {
        await show(ctx, uid, account, lockedText)
        return false
      }
      const proves = passkey
        ? provenByPasskey(passkey, challengeOf(uid), party)
        : provenByCode(fields.get('code') ?? '')
      if (await secondFactors.use(account, proves)) return true
      const refusal = passkey
        ? 'The passkey was not accepted. Try again, or type a code.'
        : 'The code is wrong, or was used before. Wait for the next one, check the clock of the device, or use a recovery code.'
      await show(ctx, uid, account, refusal)
      return false
    },

    /** Returns what the sign-in page needs to ask for a passkey in place of a password; null if there are none for our address. */
    request: (uid: string): string | null => (party ? passkeyRequest(challengeOf(uid), party) : null),

    /** Finds who signs in with a passkey alone: that is something one has, and its device has checked who has it. */
    async byPasskey(ctx: Context, uid: string, passkey: string): Promise<Account | undefined> {
      const account = await accounts.byId(accountOfPasskey(passkey))
      const isProven =
        party &&
        account &&
        !account.disabled &&
        (await secondFactors.use(account, provenByPasskey(passkey, challengeOf(uid), party)))
      if (isProven) return account
      await countWrongCredential(ctx)
      return undefined
    },
  }
}
