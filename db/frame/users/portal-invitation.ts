/** Subject and body of a mail. */
export interface MailText {
  subject: string
  body: string
}

/**
 * Writes the mail of an invitation. It says who invites and where to sign in, but nothing about the subject; that can be seen in the
 * portal after signing in.
 * @param url address of the portal; undefined if the tenant has not configured it.
 */
export const invitationMail = (organisation: string, url: string | undefined): MailText => ({
  subject: `Invitation to the portal of ${organisation}`,
  body: `Hello,

${organisation} invites you to its portal. You were named there as somebody who may take part for another person.

${url ? `Sign in with this e-mail address: ${url}` : `${organisation} will tell you the address of the portal. Sign in there with this e-mail address.`}

If you did not expect this mail, you need not do anything.
`,
})
