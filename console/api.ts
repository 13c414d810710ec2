// Calls of the public API, by the types of its description, with the token of the session.
import createClient, { type Middleware } from 'openapi-fetch'
import type { components, paths } from '../client/api.js'
import { forgetSession, session } from './session.js'

export type Schemas = components['schemas']
export type Job = Schemas['Job']
type KindOf<Path extends '/api/v1/jobs' | '/api/v1/attention' | '/api/v1/audit'> = NonNullable<
  NonNullable<paths[Path]['get']['parameters']['query']>['Kind']
>
/** Kinds of jobs, of what waits for a human, and of what the audit is about, in this release. A later one may answer others. */
export type JobKind = KindOf<'/api/v1/jobs'>[number]
export type AttentionKind = KindOf<'/api/v1/attention'>[number]
export type AuditKind = KindOf<'/api/v1/audit'>
export type DataSet = Schemas['DataSet']
export type Attention = Schemas['Attention']
/** Tells whether a job has not ended. */
export const isOpen = ({ status }: Pick<Job, 'status'>): boolean => status === 'Accepted' || status === 'Running'

/** A job of a list. One of the list of all tenants names its tenant. */
export type ListedJob = Schemas['Job'] | Schemas['PlatformJob']

/** Why the API refused a call, and what to do, as RFC 9457 has it. */
export interface Problem {
  /** The address of a page that explains it. */
  type?: string
  title: string
  status?: number
  detail?: string
  errors?: { pointer: string; code: string; detail: string }[]
}

const withToken: Middleware = {
  onRequest({ request }) {
    request.headers.set('authorization', `Bearer ${session?.token}`)
  },
  onResponse({ response }) {
    if (response.status === 401) forgetSession()
  },
}

/** The address of the API, without a slash at its end. */
export const base = new URL('..', document.baseURI).href.replace(/\/$/, '')
export const api = createClient<paths, 'application/json'>({ baseUrl: base })
api.use(withToken)

/** Returns the problem that an answer has in place of data. Without an answer the API was not reached. */
export const problemOf = (error: unknown): Problem =>
  typeof error === 'object' && error !== null && 'title' in error
    ? (error as Problem)
    : { title: 'The API cannot be reached', detail: 'Check the network, and try again.' }

/** Returns what a call has answered. @throws the problem with which it was refused. */
export function required<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw error
  return data
}
