// Form instances: bodies, paths and pages.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { Api, Reply } from './api.js'
import { form, type PageReply, page, smallForm } from './launches.js'
import type { Fields } from './user-endpoint.js'

/** A form instance in answers, with the members that tests read. */
export interface InstanceBody {
  instanceGuid: string
  status: 'New' | 'Draft' | 'Complete'
  isAmendable: boolean
  lastModifiedDateTimeUtc: string
  viewLink: string
  values: Record<string, { type: string; value?: string; repeatIterationIndex: number | null }[]>
  instanceContext: Record<string, string>
}

export interface HistoryBody {
  compositeInstanceHistory: {
    instanceVersionGuid: string
    status: string
    isEditMilestone: boolean
    isDeleted: boolean
    createdByUserIdentifier: string
    deletedByUserIdentifier: string | null
    createdDateTimeUtc: string
    viewLink: string
  }[]
  withdrawalHistory: WithdrawalBody[]
}

interface WithdrawalBody {
  withdrawalStatus: string
  reason: string
  actionTakenDateTime: string
}

export const createPath = '/api/clinicianforms/create/'

/** Makes the body that creates an instance of `aNote`, with an identifier of its own; `more` replaces members. */
export const aRequest = (patientIdentifier: string, more: object = {}) => ({
  patientIdentifier,
  instanceIdentifier: randomUUID(),
  formKey: 'small',
  formVersion: 1,
  ...more,
})

/** Returns the calls by which a client creates, reads and changes the form instances of a patient. */
export function patientOf({ subjectId, forms }: { subjectId: string; forms: Api }, client: Api = forms) {
  const at = (guid: string) => `/api/patientforms/${subjectId}/instance/${guid}`
  const ifMatch = (etag: string | undefined) => (etag === undefined ? {} : { 'If-Match': etag })
  const create = (more: object = {}, headers: Record<string, string> = {}) =>
    client.post<InstanceBody>(createPath, aRequest(subjectId, more), headers)
  return {
    at,
    create,
    /** Creates an instance, which must succeed. @returns its id. */
    async created(more: object = {}): Promise<string> {
      const { status, body } = await create(more)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body.instanceGuid
    },
    read: (guid: string, query = '') => client.get<InstanceBody>(`${at(guid)}${query}`),
    save: (guid: string, values: unknown, etag?: string, query = '') =>
      client.put<InstanceBody>(`${at(guid)}/draft${query}`, { values }, ifMatch(etag)),
    submit: (guid: string, values: unknown, etag?: string) =>
      client.post<InstanceBody>(`${at(guid)}/submit`, { values }, ifMatch(etag)),
    amend: (guid: string, etag?: string) => client.post<InstanceBody>(`${at(guid)}/amend`, undefined, ifMatch(etag)),
    discard: (guid: string, etag?: string) =>
      client.send<InstanceBody>('DELETE', `${at(guid)}/draft`, undefined, ifMatch(etag)),
    withdraw: (guid: string, reason = 'wrong patient') =>
      client.send<WithdrawalBody>('DELETE', `${at(guid)}/withdraw`, { reason }),
    reinstate: (guid: string, reason = 'it was right') =>
      client.send<WithdrawalBody>('PATCH', `${at(guid)}/reinstate`, { reason }),
    history: (guid: string, query = '') =>
      client.get<HistoryBody>(`/api/patientforms/${subjectId}/history/${guid}${query}`),
    /** Reads the current ETag, also of a withdrawn instance. */
    async etag(guid: string): Promise<string> {
      return (await client.get(`${at(guid)}?includeWithdrawn=true`)).headers.get('etag') ?? ''
    },
    list: (query = '') => client.get<InstanceBody[]>(`/api/patientforms/${subjectId}${query}`),
  }
}

export type Patient = ReturnType<typeof patientOf>

/** Reads everything that is stored about an instance, to check that nothing was written. */
export async function storedOf(db: Knex, guid: string): Promise<Record<string, object[]>> {
  const of = (table: string, column: string): Promise<object[]> => db(table).where({ [column]: guid })
  const [versions, values, withdrawals] = [
    await of('form_instance_versions', 'instance_id'),
    await of('form_values', 'instance_id'),
    await of('form_withdrawals', 'instance_id'),
  ]
  return { instances: await of('form_instances', 'id'), versions, values, withdrawals }
}

/** Returns the text of the first value of each control. */
export const textsOf = ({ body }: Reply<InstanceBody>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body.values).map(([id, [first]]) => [id, first?.value]))

/** Returns the path of the page on which an instance is filled in. */
export const editPath = (tenantKey: string, guid: string) => `/forms/${tenantKey}/instances/${guid}`

/** Signs a person in with a token, as an application does. */
export const signIn = (tenantKey: string, token: string, to: string, baseUrl?: string): Promise<PageReply> =>
  page(`/forms/${tenantKey}/sign-in`, smallForm(['token', token], ['to', to]), baseUrl)

export type Visitor = ReturnType<typeof visitor>

/** A person who is signed in. Opens pages of a tenant and posts their forms, as a browser does. */
export function visitor({ tenantKey, token }: { tenantKey: string; token: string }) {
  const cookie = { cookie: `armature-forms=${token}` }
  return {
    open: (path: string, headers = {}) => page(path, { headers: { ...cookie, ...headers } }),
    edit: (guid: string) => page(editPath(tenantKey, guid), { headers: cookie }),
    /** Presses a button. */
    press(guid: string, action: string, fields: Fields = [], headers = {}) {
      const posted = form(['action', action], ...fields)
      return page(editPath(tenantKey, guid), { ...posted, headers: { ...cookie, ...headers } })
    },
  }
}

const titles = (text: string, tag: RegExp) => [...text.matchAll(tag)].map(([, title]) => title ?? '')

/** Returns the headings of a page, its buttons and its links. */
export const saysOf = ({ status, text }: PageReply) => ({
  status,
  title: titles(text, /<h1>(.*?)<\/h1>/g).join(),
  banner: titles(text, /class="banner-title">(.*?)</g).join(),
  ways: titles(text, /<(?:button type="submit" name="action"|a (?!href="[^"]*#))[^>]*>(.*?)<\/(?:button|a)>/g),
})

/** Returns the status and the location of a redirection. */
export const leadsTo = ({ status, headers }: PageReply) => [status, headers.get('location')]
