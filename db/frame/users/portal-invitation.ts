/** The text of the mail of an invitation. */
export interface MailText {
  subject: string
  body: string
}

/**
 * The mail that tells somebody of an invitation. It says who invites and where to go, and nothing about the subject: the
 * portal tells that to who signs in.
 * @param url address of the portal, where the tenant has named it.
 */
export const invitationMail = (organisation: string, url: string | undefined): MailText => ({
  subject: `Invitation to the portal of ${organisation}`,
  body: `Hello,

${organisation} invites you to its portal. You were named there as somebody who may take part for another person.

${url ? `Sign in with this e-mail address: ${url}` : `${organisation} will tell you the address of the portal. Sign in there with this e-mail address.`}

If you did not expect this mail, you need not do anything.
`,
})
