// Endpoints for access to the subject portal.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import Format from 'typebox/format'
import { holderOf, inviteThirdParties, type PortalUserRow, portalStore } from '../../db/frame/users/portal.js'
import { type Fault, invalid } from '../../runtime/problems/problem.js'
import { addressOf } from '../../workflows/jobs/contracts.js'
import { type Answer, type Endpoint, endpoint, ok } from '../endpoint.js'
import { earlierJob } from '../jobs/once.js'
import { idempotencyHeaders } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'
import { camelPage, camelPageSchema, listing, pagingQuery } from '../paging.js'
import { SubjectPath } from './shapes.js'

const orders = { InvitedAt: 'id', Email: 'email', DisplayName: 'display_name' }

const PortalUser = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    displayName: Type.String(),
    email: Type.String(),
    inviteMethod: Type.Enum(['SelfAccess', 'ThirdParty']),
  },
  { $id: 'PortalUser' },
)

// SMTP allows addresses of at most 254 characters (RFC 5321, erratum 1690). The pattern refuses line breaks, which the
// format permits between quotes.
const Email = Type.Refine(
  Type.String({ maxLength: 254, publish: { format: 'email' } }),
  value => Format.IsEmail(value) && /^[\x21-\x7e]+$/.test(value),
  () => 'must be an e-mail address',
)

const present = ({ id, holder, email, display_name }: PortalUserRow): Static<typeof PortalUser> => ({
  id,
  displayName: display_name,
  email,
  inviteMethod: holder === '' ? 'SelfAccess' : 'ThirdParty',
})

const done: Answer = { status: 200, body: '' }
/** The answer that names the job which sends the mails. */
const mailedBy = ({ id }: { id: string }): Answer => ({ ...done, headers: { Location: addressOf(id) } })
const common = { tag: 'Subject portal', scopes: ['FrameApi'] } as const

/**
 * Lists, invites and removes portal users (spec frame "Subject portal"). A request without e-mail addresses, or with an
 * empty list, is about the subject itself.
 */
export const portalRoutes = ({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listSubjectAccessUsers',
    readsPeople: true,
    summary: 'Portal users of a subject, paged',
    description:
      'Lists the people who have access to this subject in the portal, whether they were mailed yet or not. The subject itself is shown with its present name and e-mail address. A tenant whose manifest has no portal is answered 409.',
    method: 'get',
    path: '/api/v1/subject/:subjectId/subjectAccessUsers',
    params: SubjectPath,
    permission: 'View:SubjectAccessInvite',
    query: pagingQuery(orders, {}),
    answers: { 200: camelPageSchema(PortalUser) },
    problems: ['portal'],
    async handle({ params, query, caller }) {
      const subjectId = params.subjectId
      const list = listing(query, orders, ['subjectAccessUsers', caller.tenantId, subjectId])
      const page = await portalStore(db, caller.tenantId).page(subjectId, list.request)
      return ok(await camelPage(page, list, 'id', present))
    },
  }),

  endpoint({
    ...common,
    operationId: 'inviteToPortal',
    summary: 'Let third parties into the portal, by their e-mail addresses; without any, the subject itself',
    description:
      "Gives access at once, and mails third parties in a job, whose address is in `Location`. Without a body, or with an empty list, the subject itself gets access and no mail is sent. People who have access already stay so and get no second mail, so a repetition is harmless. A 409 names what the portal's settings or the subject's values lack.",
    method: 'post',
    path: '/api/v1/subject/:subjectId/invite',
    params: SubjectPath,
    permission: 'Create:SubjectAccessInvite',
    headers: idempotencyHeaders,
    body: Type.Array(Email, { maxItems: 1000, description: 'All or none is invited. Who is already stays so.' }),
    bodyOptional: true,
    answers: { 200: null },
    problems: ['portal', 'portal-values-missing'],
    async handle(request) {
      const { params, body: emails = [], caller } = request
      const subjectId = params.subjectId
      const store = portalStore(db, caller.tenantId)
      refuseDoubles(emails, '')
      if (emails.length === 0) {
        await store.inviteSelf(subjectId)
        return done
      }
      const earlier = await earlierJob(db, request)
      if (earlier) return mailedBy(earlier)
      const newcomers = await store.newcomers(subjectId, emails)
      if (newcomers.length === 0) return done
      const job = await jobs.begin(request, 'portalInvitation', async () => ({
        total: newcomers.length,
        queue: 'background',
        keepWhenTemporalAway: true,
        write: (trx, jobId) => inviteThirdParties(trx, caller.tenantId, subjectId, emails, jobId),
      }))
      return mailedBy(job)
    },
  }),

  endpoint({
    ...common,
    operationId: 'removeFromPortal',
    summary:
      'Take the access of third parties away, by their e-mail addresses; without any, that of the subject itself',
    description:
      'Takes access away at once, and withdraws mails that are not sent yet. Without addresses it is the access of the subject itself. People without access are no fault, so the request may be repeated. They may be invited again.',
    method: 'delete',
    path: '/api/v1/subject/:subjectId/invite',
    params: SubjectPath,
    permission: 'Delete:SubjectAccessInvite',
    query: Type.Object({ thirdPartyUserEmails: Type.Optional(Type.Array(Email)) }),
    answers: { 200: null },
    problems: ['portal'],
    async handle({ params, query: { thirdPartyUserEmails: emails }, caller }) {
      refuseDoubles(emails ?? [], '/query/thirdPartyUserEmails')
      await portalStore(db, caller.tenantId).remove(params.subjectId, emails ?? 'self')
      return done
    },
  }),
]

/** @throws Problem 400 if an address occurs twice. Letter case is ignored. */
function refuseDoubles(emails: readonly string[], at: string): void {
  const seen = new Set<string>()
  const faults = emails.flatMap((email, index): Fault[] => {
    if (!seen.has(holderOf(email))) {
      seen.add(holderOf(email))
      return []
    }
    const place = at === '' ? { index } : {}
    return [
      { pointer: `${at}/${index}`, code: 'duplicate-email', detail: 'The e-mail address is given twice.', ...place },
    ]
  })
  if (faults.length > 0) throw invalid(faults)
}
