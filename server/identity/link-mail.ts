// Mails people the links with which they choose a password.
import type { Account } from '../../db/identity/accounts.js'
import { newId } from '../../runtime/ids.js'

/** Sends a mail. The answer says what became of it; errors are not thrown. */
export type SendMail = (mail: {
  id: string
  recipient: string
  subject: string
  body: string
}) => Promise<{ state: string; reason?: string }>

/** The address of a link. */
export const addressOfLink = (publicUrl: string, secret: string): string =>
  `${publicUrl}/identity/password?link=${secret}`

/** Mails a link to the person of an account. @returns undefined if the mail server has taken it, otherwise why it has not. */
export async function mailLink(
  send: SendMail,
  { email, name }: Pick<Account, 'email' | 'name'>,
  tenantKey: string,
  link: string,
): Promise<string | undefined> {
  const body = [
    `Hello ${name},`,
    `choose the password for your account ${email} in the tenant ${tenantKey} here:`,
    link,
    'The address works once, within three days. Give it to nobody: whoever has it has your account.',
    'If you have not asked for it, do nothing. Your present password stays.',
  ].join('\n\n')
  const { state, reason } = await send({ id: newId(), recipient: email, subject: 'Choose your password', body })
  return state === 'sent' ? undefined : (reason ?? state)
}
