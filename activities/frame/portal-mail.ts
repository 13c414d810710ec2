// The activity that sends the invitations to the subject portal by mail.
import { portalMails } from '../../db/frame/users/portal-mails.js'
import { unavailable } from '../../runtime/problems/problem.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'
import type { Mailer } from '../mail.js'

/** Creates the activities for mails of invitations. */
export const portalMailActivities = (
  dependencies: StepDependencies & {
    /** Undefined if no mail server is configured. Mails then stay in the database, where operators can read them. */
    mailer: Mailer | undefined
  },
) => ({
  /** Sends the job's next mails, at most `limit`, and returns its progress. After a crash a mail may be sent twice, but none is left out. */
  async portalInvitation(input: StepsInput): Promise<JobProgress> {
    const { db, mailer } = dependencies
    const { jobId } = input
    const postponed: string[] = []
    return doSteps(dependencies, input, async (tenant, run) => {
      const mails = portalMails(db, tenant)
      return {
        next: async () => {
          for (;;) {
            const mail = await mails.next(jobId, postponed)
            if (!mail && postponed.length > 0) throw unavailable('The mailbox of a recipient')
            if (!mail) return mails.settle(run)
            const delivery = mailer ? await mailer.send(mail) : { state: 'kept' as const }
            if (delivery.state !== 'postponed') return mails.settle(run, { id: mail.id, ...delivery })
            await mails.postpone(mail.id, delivery.reason)
            if (delivery.everyMail) throw unavailable('The mail server', new Error(delivery.reason))
            postponed.push(mail.id)
          }
        },
      }
    })
  },
})
