import { carry } from '../jobs/carry.js'
import { type JobInput, type JobProgress, mailsPerActivity } from '../jobs/contracts.js'

/** Sends the mails that tell third parties of their invitations, one by one. */
export async function portalInvitation(input: JobInput): Promise<JobProgress> {
  return carry(input, 'sendPortalMails', { limit: mailsPerActivity, what: 'mails dealt with' })
}
