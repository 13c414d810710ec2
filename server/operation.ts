// Declares operations as the API description shows them.
import type Router from '@koa/router'
import type { Middleware } from 'koa'
import type { TObject, TSchema } from 'typebox'
import type { Guide } from './guides.js'
import { audited } from './middleware/audited.js'
import { enforceDeclaredAnswers } from './middleware/declared-answers.js'
import type { Problems } from './problem-groups.js'
import type { Tag } from './tags.js'

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'

/** Describes an operation and the answers that it may give. */
export interface Operation<Query extends TObject = TObject, Params extends TObject = TObject> {
  operationId: string
  summary: string
  /** What a caller must know beyond the summary, in two to five sentences: effects, limits, what happens on repetition. */
  description: string
  /** Set if the operation has a successor, which its answers name (RFC 9745). */
  deprecated?: true
  tag: Tag
  /** The guide to it, if that is not the guide of its tag. */
  guide?: Guide
  method: Method
  /** In the router's syntax, with parameters as `:name`. */
  path: string
  /** Schema of path parameters that are not plain strings. */
  params?: Params
  query?: Query
  /** Headers that the operation itself uses, for the description. The handler reads them. */
  headers?: TObject
  /** Schema of the body by status; `null` for no body. */
  answers: Record<number, TSchema | null>
  /** Set if the answer shows people, so that the audit says who has read it. */
  readsPeople?: true
  /** Content type of the answer, if it is not JSON. */
  answerType?: string
  /** Headers of the 200 beyond those of all answers, for the description. The handler sends them. */
  answerHeaders?: TObject
}

/** A way to authenticate: the name of a security scheme in the description, with the scopes needed. */
type Security = Record<string, string[]>

/**
 * A route that authenticates callers itself, such as a page. It is declared for the description and for the check of
 * its answers.
 */
export interface Route extends Operation {
  /** Says in words which callers are accepted. */
  access: string
  security: readonly Security[]
  /** Bodies that are accepted, by content type. */
  request?: { required: boolean; content: Record<string, TSchema> }
  /** Content types of answers that are neither JSON nor `answerType`, by status. */
  answerTypes?: Record<number, string>
  problems: Problems
  /** Whether problems are shown as pages to people. */
  isPage?: true
  /** Whether a tenant's settings determine the answers, which are then not checked. */
  isOpen?: true
}

/** Serves a route, and checks that its answers match the declaration. */
export function serve(router: Router, route: Route, ...handlers: Middleware[]): void {
  const { operationId, method, path, answers, isOpen, problems } = route
  // Calls of tenants' endpoints are not in the audit. Those that fail are counted.
  const told = isOpen || (method === 'get' && !route.readsPeople) ? [] : [audited(route)]
  router[method](
    operationId,
    path,
    enforceDeclaredAnswers({ operationId, answers: isOpen ? undefined : answers }, problems),
    ...told,
    ...handlers,
  )
}
