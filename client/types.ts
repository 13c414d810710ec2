// Types of calls, derived from the types of the description.
import type { ClientPathsWithMethod, Client as FetchClient, FetchResponse, MaybeOptionalInit } from 'openapi-fetch'
import type { paths } from './api.js'
import type { Wait } from './patience.js'

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'
type MediaType = `${string}/${string}`

/** Paths of the description that have this method. */
export type PathOf<M extends Method> = ClientPathsWithMethod<FetchClient<paths>, M>

/** How one call is repeated, in place of the client's own way. */
export interface CallOptions {
  /** For so long the call is repeated, in ms. 0: not at all. */
  patienceMs?: number
  /** A repetition after a broken connection has the same effect. By default the method and the path say it. */
  isRepeatable?: boolean
  onWait?: (wait: Wait) => void
  signal?: AbortSignal
}

/** Parameters, body and options of a call. */
export type CallInit<P extends PathOf<M>, M extends Method> = MaybeOptionalInit<paths[P], M> & CallOptions

/**
 * The body of a good answer. Of several statuses it is that of any; with `parseAs` it is a stream, a text or bytes.
 * A good answer is told by `data`: `error` tells it with `exactOptionalPropertyTypes` alone.
 */
export type CallData<P extends PathOf<M>, M extends Method, Init> = Extract<
  FetchResponse<Operation<P, M>, Init, MediaType>,
  { data: unknown }
>['data']

type Operation<P extends PathOf<M>, M extends Method> = paths[P][M] extends infer Found extends object ? Found : never

/** A good answer, with its status and headers. */
export interface Answer<Data> {
  data: Data
  response: Response
}

/** Members without which there is no call must be given. */
type Arguments<Init> = object extends Init ? [init?: Init] : [init: Init]

/** @throws ApiProblem where the API refuses; NoAnswer, TokenRefused; the reason of the signal. */
export type Call<M extends Method> = <P extends PathOf<M>, Init extends CallInit<P, M>>(
  path: P,
  ...init: Arguments<Init>
) => Promise<Answer<CallData<P, M, Init>>>

type Content<P extends PathOf<M>, M extends Method, Type extends MediaType> =
  Operation<P, M> extends {
    responses: { 200: { content: { [T in Type]: infer Body } } }
  }
    ? Body
    : never

/** A page of a list. */
type Page =
  | { PageInfo: { HasNextPage: boolean; EndCursor: string }; Edges: { Node: unknown }[] }
  | { pageInfo: { hasNextPage: boolean; endCursor: string }; edges: { node: unknown }[] }

/** Paths of lists: read by GET, or by POST of the same members to `…/query`. */
export type ListPath<M extends 'get' | 'post'> = {
  [P in PathOf<M>]: [Content<P, M, 'application/json'>] extends [never]
    ? never
    : Content<P, M, 'application/json'> extends Page
      ? P
      : never
}[PathOf<M>]

export type PageOf<P extends ListPath<M>, M extends 'get' | 'post'> = Extract<Content<P, M, 'application/json'>, Page>

export type NodeOf<P> = P extends { Edges: { Node: infer Node }[] }
  ? Node
  : P extends { edges: { node: infer Node }[] }
    ? Node
    : never

/** Paths whose answers are also lines of JSON. */
export type LinesPath = {
  [P in PathOf<'get'>]: [Content<P, 'get', 'application/x-ndjson'>] extends [never] ? never : P
}[PathOf<'get'>]

export type LineOf<P extends LinesPath> = Content<P, 'get', 'application/x-ndjson'>
