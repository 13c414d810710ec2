// The page on which people who forgot their password ask for a link by mail.
import type { Context, Middleware } from 'koa'
import { storedEmail } from '../../db/identity/accounts.js'
import type { SignInStores } from '../../db/identity/sign-in-stores.js'
import type { Log } from '../../runtime/observe/log.js'
import { limitSignIns } from '../middleware/rate-limit.js'
import { smallForm } from '../middleware/small-form.js'
import { addressOfLink, mailLink, type SendMail } from './link-mail.js'
import { requireOwnForm, showPage } from './pages.js'

interface ForgotPageOptions extends Pick<SignInStores, 'accounts' | 'links' | 'linkMails'> {
  publicUrl: string
  sendMail: SendMail
  log: Log
}

export const forgotPath = '/forgot'

/** How many links an account is mailed in a quarter of an hour, so that nobody fills the mailbox of somebody else. */
const maxMails = 2

/**
 * Creates the page. It answers before it looks for the account, and always the same, so that neither the answer nor its time tells
 * who has an account.
 */
export const forgotPage =
  (options: ForgotPageOptions): Middleware =>
  async ctx => {
    if (ctx.method !== 'POST') return showPage(ctx, 200, 'forgot', { title: 'Forgot your password?' })
    requireOwnForm(ctx)
    await limitSignIns(ctx)
    const fields = await smallForm(ctx)
    const [tenant = '', email = ''] = ['tenant', 'email'].map(name => fields.get(name)?.slice(0, 255))
    const asked = [tenant.trim(), storedEmail(email)] as const
    if (await mayMail(options, asked))
      void sendLink(ctx, options, asked).catch((err: unknown) => options.log.error({ err }, 'no link was mailed'))
    const text = 'If there is such an account, a mail with a link is on its way. It works once, within three days.'
    return showPage(ctx, 200, 'notice', { title: 'Look into your mail', text })
  }

/** Counts a mail before it is sent, so that those at the same time all do. What is refused does not count. */
async function mayMail({ linkMails }: ForgotPageOptions, asked: readonly [string, string]): Promise<boolean> {
  if ((await linkMails.count(...asked)) >= maxMails) return false
  await linkMails.add(...asked)
  return (await linkMails.count(...asked)) <= maxMails
}

async function sendLink(
  ctx: Context,
  { accounts, links, publicUrl, sendMail, log }: Omit<ForgotPageOptions, 'linkMails'>,
  asked: readonly [tenantKey: string, email: string],
): Promise<void> {
  const account = await accounts.byEmail(...asked)
  if (!account || account.disabled) return
  const { tenantKey, tenantId, id } = account
  const link = addressOfLink(publicUrl, await links.create(tenantId, id))
  const reason = await mailLink(sendMail, account, tenantKey, link)
  const known = { tenantKey, accountId: id, traceId: ctx.state.traceId }
  if (reason === undefined) log.info(known, 'a link was mailed')
  else log.warn({ ...known, reason }, 'no link was mailed')
}
