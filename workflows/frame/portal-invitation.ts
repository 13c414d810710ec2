// The workflow of portal invitations.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Sends the mails that tell third parties of their invitations, one by one. */
export async function portalInvitation(input: JobInput): Promise<JobProgress> {
  return runJob('portalInvitation', input)
}
