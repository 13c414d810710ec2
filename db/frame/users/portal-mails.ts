// Queues the mails of portal invitations, and keeps track of what became of them.
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type JobRun } from '../../jobs/advance.js'
import { openStatuses } from '../../jobs/job-row.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import { upsertRows } from '../../rows.js'
import type { MailText } from './portal-invitation.js'

/**
 * The states of a mail. `queued`: waits to be sent. `sent`: a mail server has accepted it. `failed`: a mail server has refused it for
 * good. `kept`: no mail server is configured, so that it is only kept for operators to read. `withdrawn`: the invitation was removed
 * before the mail was sent.
 */
export const mailStates = ['queued', 'sent', 'failed', 'kept', 'withdrawn'] as const
export type MailState = (typeof mailStates)[number]

export interface MailRow {
  /** A UUIDv7, which contains the time at which the mail was queued. */
  id: string
  job_id: string
  recipient: string
  subject: string
  body: string
  state: MailState
  /** Why it has not been sent. Does not mention the recipient. */
  reason: string | null
  /** How often sending it to a mail server was tried. */
  attempts: number
  sent_at: Date | null
}

const columns = ['id', 'job_id', 'recipient', 'subject', 'body', 'state', 'reason', 'attempts', 'sent_at']

/** What finally became of a mail. */
export interface MailOutcome {
  state: 'sent' | 'failed' | 'kept'
  reason?: string
}

/** The mails of one tenant that tell people of their invitations. */
export const portalMails = (db: Db, tenant: TenantId) => {
  const rows = () => db('portal_mails').where({ tenant_id: tenant })

  return {
    page: (filter: { states?: readonly MailState[] | undefined }, page: PageRequest): Promise<Page<MailRow>> =>
      readPage<MailRow>(
        () => {
          const query = rows()
          if (filter.states) query.whereIn('state', [...filter.states])
          return query.select(columns)
        },
        'id',
        page,
      ),

    /**
     * Returns the next mail to send for a job, or undefined if there is none or the job has ended. Mails with fewer attempts come first,
     * so that a mailbox which accepts nothing at the moment does not hold up the others.
     * @param except ids of mails that are not to be tried now.
     */
    next: (jobId: string, except: readonly string[]): Promise<MailRow | undefined> =>
      rows()
        .where({ job_id: jobId, state: 'queued' })
        .whereNotIn('id', [...except])
        .whereExists(db('jobs').where({ tenant_id: tenant, id: jobId }).whereIn('status', openStatuses))
        .orderBy(['attempts', 'id'])
        .first(columns),

    /** Records a failed attempt to send a mail, which stays queued. */
    async postpone(id: string, reason: string): Promise<void> {
      await rows()
        .where({ id, state: 'queued' })
        .update({ reason, attempts: db.raw('attempts + 1') })
    },

    /**
     * Records what became of a mail, as a step of its job. Without a mail, only computes the progress of the job, which ends when no mail
     * is left.
     * @throws Problem 410 when the job was cancelled.
     */
    settle: (run: JobRun, ended?: { id: string } & MailOutcome): Promise<JobProgress> =>
      advance(db, tenant, run, async trx => {
        const settled = ended && (await settleOne(trx, tenant, ended))
        const states: { state: MailState; mails: number }[] = await trx('portal_mails')
          .where({ tenant_id: tenant, job_id: run.jobId })
          .groupBy('state')
          .select('state')
          .count({ mails: '*' })
        const numberOf = (state: MailState) => Number(states.find(each => each.state === state)?.mails ?? 0)
        const all = states.reduce((sum, { mails }) => sum + Number(mails), 0)
        const counts = settled && ended ? { [ended.state]: 1 } : {}
        if (numberOf('queued') > 0) return { done: all - numberOf('queued'), end: undefined, counts }
        const withdrawn = numberOf('withdrawn')
        return { done: all, end: 'all', counts: withdrawn > 0 ? { ...counts, withdrawn } : counts }
      }),
  }
}

/** Records what became of a mail. @returns false if another activity, which was believed dead, has recorded it already. */
async function settleOne(
  trx: Knex.Transaction,
  tenant: TenantId,
  { id, state, reason }: { id: string } & MailOutcome,
): Promise<boolean> {
  const sent = { reason: reason ?? null, ...(state === 'sent' ? { sent_at: new Date() } : {}) }
  const attempts = state === 'kept' ? {} : { attempts: trx.raw('attempts + 1') }
  // A mail that was withdrawn while it was being delivered has been sent all the same.
  const changed = await trx('portal_mails')
    .where({ tenant_id: tenant, id })
    .whereIn('state', state === 'sent' ? ['queued', 'withdrawn'] : ['queued'])
    .update({ state, ...sent, ...attempts })
  return changed > 0
}

/** Queues one mail for each invited person, inside the transaction that invites them. */
export async function queueMails(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  invited: readonly { id: string; email: string }[],
  { subject, body }: MailText,
): Promise<void> {
  const columns = ['tenant_id', 'id', 'job_id', 'access_user_id', 'recipient', 'subject', 'body', 'state']
  const mails = invited.map(({ id, email }) => [tenant, newId(), jobId, id, email, subject, body, 'queued'])
  await upsertRows(trx, 'portal_mails', columns, mails, [])
}

/** Withdraws the mails of these invitations that have not been sent, inside the transaction that removes the invitations. */
export async function withdrawMails(
  trx: Knex.Transaction,
  tenant: TenantId,
  accessUserIds: readonly string[],
): Promise<void> {
  await trx('portal_mails')
    .where({ tenant_id: tenant, state: 'queued' })
    .whereIn('access_user_id', [...accessUserIds])
    .update({ state: 'withdrawn' })
}
