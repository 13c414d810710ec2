// Operations as callers know them.
import type Router from '@koa/router'
import type { Middleware } from 'koa'
import type { TObject, TSchema } from 'typebox'
import { heldTo } from './middleware/declared-answers.js'
import type { Problems } from './problem-groups.js'
import type { Tag } from './tags.js'

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'

/** The declaration of an operation: its description, and the answers that it may give. */
export interface Operation<Query extends TObject = TObject, Params extends TObject = TObject> {
  operationId: string
  summary: string
  /** It has a successor, which the answers name (RFC 9745). */
  deprecated?: true
  tag: Tag
  method: Method
  /** With `:name` parameters, as the router wants it. */
  path: string
  /** Parameters of the path that are more than texts. */
  params?: Params
  query?: Query
  /** Headers of its own, for the description; the handler reads them. */
  headers?: TObject
  /** The bodies by status; `null` where there is none. */
  answers: Record<number, TSchema | null>
  /** Content type of the answer, where it is not JSON. */
  answerType?: string
  /** Headers of the 200 beyond those that any answer has, for the description; the handler sends them. */
  answerHeaders?: TObject
}

/** A way into a route that is no endpoint: a scheme of the description, with its scopes. */
type Security = Record<string, string[]>

/** A route with its own way in, such as a page: declared for the description and for the check of its answers. */
export interface Route extends Operation {
  /** The callers that it takes, in words. */
  access: string
  security: readonly Security[]
  /** Bodies that it takes, by content type. */
  request?: { required: boolean; content: Record<string, TSchema> }
  /** Content types of answers that are neither JSON nor `answerType`, by status. */
  answerTypes?: Record<number, string>
  problems: Problems
  /** People get its problems as pages. */
  isPage?: true
  /** A tenant's settings make the answers that are no problems. */
  isOpen?: true
}

/** Serves a route, its answers held to its declaration. */
export function serve(router: Router, route: Route, ...handlers: Middleware[]): void {
  const { operationId, method, path, answers, isOpen, problems } = route
  router[method](
    operationId,
    path,
    heldTo({ operationId, answers: isOpen ? undefined : answers }, problems),
    ...handlers,
  )
}
