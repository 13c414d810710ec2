// The activity that mails what waits for a human.
import { activityInfo } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Knex } from 'knex'
import { type AttentionRow, adviseOn, attentionKinds, attentionPage } from '../../db/attention/attention.js'
import type { Log } from '../../runtime/observe/log.js'
import { unavailable } from '../../runtime/problems/problem.js'
import type { AttentionMailed } from '../../workflows/platform/contracts.js'
import type { Mailer } from '../mail.js'
import { once } from './poll-activity.js'

/** A mail names at most so many things, the newest. */
const mostNamed = 50

export interface AttentionMailDependencies {
  db: Knex
  log: Log
  /** Undefined if no mail server is configured. */
  mailer: Mailer | undefined
  /** The address that gets the mail. Undefined if nobody wants one. */
  attentionMailTo: string | undefined
  /** Address of the platform for browsers. */
  publicUrl: string
}

/** Creates the activity that tells somebody each day what waits for a human. */
export const attentionMailActivities = ({
  db,
  log,
  mailer,
  attentionMailTo,
  publicUrl,
}: AttentionMailDependencies) => ({
  /**
   * Mails what waits for a human in all tenants. Without a recipient, or if nothing waits, it does nothing. After a crash the
   * mail may be sent twice, with the same Message-ID.
   * @throws a failure that Temporal retries while the mail server is away; a final one if it refuses the recipient.
   */
  async mailAttention(): Promise<AttentionMailed> {
    if (!mailer || attentionMailTo === undefined) return { waiting: 0, isMailed: false }
    const { waiting, delivery } = await once(log, async () => {
      const order = { column: 'since', descending: true, first: mostNamed }
      const { rows, totalCount } = await attentionPage(db, { tenant: undefined, kinds: attentionKinds }, order)
      if (totalCount === 0) return { waiting: 0 }
      const delivery = await mailer.send({
        id: activityInfo().workflowExecution?.runId ?? '',
        recipient: attentionMailTo,
        subject: `Armature: ${waitFor(totalCount)} a human`,
        body: bodyOf(rows, totalCount, publicUrl),
      })
      if (delivery.state === 'postponed') throw unavailable('The mail server', new Error(delivery.reason))
      return { waiting: totalCount, delivery }
    })
    if (delivery?.state === 'failed') {
      log.error({ reason: delivery.reason }, 'the recipient of ATTENTION_MAIL_TO is refused')
      throw ApplicationFailure.nonRetryable(
        `The mail server refuses the recipient of ATTENTION_MAIL_TO: ${delivery.reason}`,
      )
    }
    return { waiting, isMailed: delivery !== undefined }
  },
})

const waitFor = (count: number): string => (count === 1 ? '1 thing waits for' : `${count} things wait for`)

function bodyOf(rows: readonly AttentionRow[], count: number, publicUrl: string): string {
  const named = rows.map(row => {
    const { why, nextStep } = adviseOn(row)
    return `${row.tenant_key}: ${row.kind} ${row.subject}, since ${row.since.toISOString()}\n  ${why}\n  ${nextStep}`
  })
  return [
    `${waitFor(count)} a human.`,
    ...named,
    ...(count > rows.length ? [`And ${count - rows.length} more.`] : []),
    `The console shows them all, with what can be done: ${publicUrl}/console/`,
    'This mail comes at 06:00 UTC on each day on which something waits. The setting ATTENTION_MAIL_TO names its recipient.',
  ].join('\n\n')
}
