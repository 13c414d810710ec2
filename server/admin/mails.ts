// Administration endpoint that lists the mails of a tenant.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type MailRow, mailStates, portalMails } from '../../db/frame/users/portal-mails.js'
import { idTime } from '../../runtime/ids.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { listing, pageOf, pageSchema, pagingQuery } from '../paging.js'

const orders = { QueuedAt: 'id' }

const Mail = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: "The first part of the mail's Message-ID." }),
    state: Type.Enum([...mailStates], {
      description:
        'queued: not sent yet; sent: accepted by a mail server; failed: refused for good; kept: there is no mail server; withdrawn: the invitation was removed before.',
    }),
    recipient: Type.String(),
    subject: Type.String(),
    text: Type.String(),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why the mail was not sent.' }),
    attempts: Type.Integer({ description: 'How often the mail was offered to a mail server.' }),
    jobId: Type.String({ format: 'uuid' }),
    queuedAt: Type.String({ format: 'date-time' }),
    sentAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { $id: 'Mail' },
)

const present = (mail: MailRow): Static<typeof Mail> => ({
  id: mail.id,
  state: mail.state,
  recipient: mail.recipient,
  subject: mail.subject,
  text: mail.body,
  reason: mail.reason,
  attempts: mail.attempts,
  jobId: mail.job_id,
  queuedAt: idTime(mail.id).toISOString(),
  sentAt: mail.sent_at?.toISOString() ?? null,
})

/**
 * Lists the mails to a tenant's users, so that operators see failures or, without a mail server, the mails themselves.
 */
export const mailRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    operationId: 'listMails',
    readsPeople: true,
    summary: 'Mails of a tenant, the newest first',
    description:
      'Lists the mails that the platform has made for a tenant, with their texts, the newest first. Without a mail server mails are kept here and never sent. A mail is deleted with its job.',
    tag: 'Administration',
    scopes: ['PlatformAdmin'],
    permission: 'List:Mail',
    method: 'get',
    path: '/admin/v1/tenants/:tenantKey/mails',
    query: pagingQuery(orders, { State: Type.Optional(Type.Array(Type.Enum([...mailStates]))) }),
    answers: { 200: pageSchema(Mail) },
    async handle({ params, query }) {
      const tenant = await tenantIdOf(db, params.tenantKey ?? '')
      const filter = { states: query.State }
      const list = listing(query, orders, ['mails', tenant, filter], { descending: true })
      const page = await portalMails(db, tenant).page(filter, list.request)
      return ok(await pageOf(page, list, 'id', present))
    },
  }),
]
