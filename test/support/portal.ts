// Paths and bodies of the subject portal, and its mails.
import type { Api } from './api.js'
import { list } from './frame.js'

interface PortalUserBody {
  id: string
  displayName: string
  email: string
  inviteMethod: 'SelfAccess' | 'ThirdParty'
}

export interface PortalPage {
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string
    endCursor: string
    totalCount: number
  }
  edges: { node: PortalUserBody; cursor: string }[]
}

export interface MailBody {
  id: string
  state: 'queued' | 'sent' | 'failed' | 'kept' | 'withdrawn'
  recipient: string
  subject: string
  text: string
  reason: string | null
  attempts: number
  jobId: string
  queuedAt: string
  sentAt: string | null
}

export const invite = (subjectId: string) => `/api/v1/subject/${subjectId}/invite`
export const users = (subjectId: string) => `/api/v1/subject/${subjectId}/subjectAccessUsers`

/** Returns the path that removes the access of third parties with these e-mail addresses or, without any, of the subject itself. */
export const uninvite = (subjectId: string, ...emails: string[]) =>
  `${invite(subjectId)}?${new URLSearchParams(emails.map((email): [string, string] => ['thirdPartyUserEmails', email]))}`

/** Lists the portal users of a subject in the order of invitation, each as e-mail address, or as `self` for the subject itself. */
export async function invitedTo(tenant: Api, subjectId: string): Promise<string[]> {
  const { status, body } = await tenant.get<PortalPage>(list(users(subjectId), { First: '1000' }))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.edges.map(({ node }) => (node.inviteMethod === 'SelfAccess' ? 'self' : node.email))
}

/** Lists the mails of a tenant as its operators see them, the oldest first. */
export async function mailsOf(
  platform: Api,
  tenantKey: string,
  query: Record<string, string> = {},
): Promise<MailBody[]> {
  const asked = list(`/admin/v1/tenants/${tenantKey}/mails`, { First: '1000', OrderDirection: 'Ascending', ...query })
  const { status, body } = await platform.get<{ Edges: { Node: MailBody }[] }>(asked)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.Edges.map(edge => edge.Node)
}
