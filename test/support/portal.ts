import type { Api, Tenant } from './api.js'
import { newTenant } from './api.js'
import { list } from './frame.js'
import { demoSubjects } from './manifest.js'
import { subjectsPath, type WrittenSubject } from './subjects.js'

export interface PortalUserBody {
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

/** A tenant with the demo's subjects, whose portal is open to both; `more` replaces members of the portal's settings. */
export const portalTenant = (baseUrl: string, more: object = {}): Promise<Tenant> =>
  newTenant(baseUrl, {}, portalSettings(more))

export const portalSettings = (more: object) => ({
  subjects: { ...demoSubjects, portal: { ...demoSubjects.portal, ...more } },
})

/** Values that every invitation finds sufficient, but for the national id. */
const sufficient: Record<string, object | null> = {
  givenName: { String: { Value: 'Ada' } },
  familyName: { String: { Value: 'Lovelace' } },
  email: { String: { Value: 'ada@example.org' } },
  dateOfBirth: { Date: { Value: '1990-12-10' } },
}

/** Adds a subject of the demo's fields; `more` replaces values, null leaves one out. @returns its id. */
export async function addSubject(tenant: Api, more: Record<string, object | null> = {}): Promise<string> {
  const values = { ...sufficient, nationalId: { String: { Value: crypto.randomUUID() } }, ...more }
  const given = Object.entries(values).flatMap(([Key, Value]) => (Value === null ? [] : [{ Key, Value }]))
  const { status, body } = await tenant.post<WrittenSubject>(subjectsPath, { CustomFieldValues: given })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.internalId
}

export const invite = (subjectId: string) => `/api/v1/subject/${subjectId}/invite`
export const users = (subjectId: string) => `/api/v1/subject/${subjectId}/subjectAccessUsers`

/** The address that takes access away; without e-mails, that of the subject itself. */
export const uninvite = (subjectId: string, ...emails: string[]) =>
  `${invite(subjectId)}?${new URLSearchParams(emails.map((email): [string, string] => ['thirdPartyUserEmails', email]))}`

/** The portal users of a subject in the order of invitation: the e-mail addresses, of the subject itself `self`. */
export async function invitedTo(tenant: Api, subjectId: string): Promise<string[]> {
  const { status, body } = await tenant.get<PortalPage>(list(users(subjectId), { First: '1000' }))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.edges.map(({ node }) => (node.inviteMethod === 'SelfAccess' ? 'self' : node.email))
}

/** Mails of a tenant as its operators see them, the oldest first. */
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
