// Derives the types of calls from the types of the API description.
import type { ClientPathsWithMethod, Client as FetchClient, FetchResponse, MaybeOptionalInit } from 'openapi-fetch'
import type { paths } from './api.js'
import type { Wait } from './repetition.js'

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'
type MediaType = `${string}/${string}`

/** The paths of the API that have this method. */
export type PathOf<M extends Method> = ClientPathsWithMethod<FetchClient<paths>, M>

/** Options of one call. They override those of the client. */
export interface CallOptions {
  /** How long the call is repeated, in ms. With 0 it is not repeated. */
  retryTimeoutMs?: number
  /** True if repeating the call after a broken connection has no further effect. By default the method and path decide. */
  isRepeatable?: boolean
  onWait?: (wait: Wait) => void
  signal?: AbortSignal
}

/** Parameters, body and options of a call. */
export type CallInit<P extends PathOf<M>, M extends Method> = MaybeOptionalInit<paths[P], M> & CallOptions

/**
 * The body of a successful answer. If several statuses have bodies, it is a union of them; with `parseAs` it is a stream, a text
 * or bytes. Successful answers are recognized by `data`, because `error` works only with `exactOptionalPropertyTypes`.
 */
export type CallData<P extends PathOf<M>, M extends Method, Init> = Extract<
  FetchResponse<Operation<P, M>, Init, MediaType>,
  { data: unknown }
>['data']

type Operation<P extends PathOf<M>, M extends Method> = paths[P][M] extends infer Found extends object ? Found : never

/** A successful answer, with its status and headers in `response`. */
export interface Answer<Data> {
  data: Data
  response: Response
}

/** Makes the parameters of a call optional only if none of them is required. */
type Arguments<Init> = object extends Init ? [init?: Init] : [init: Init]

/** Calls the API. @throws ApiProblem if the API refuses or fails; NoAnswer; TokenRefused; the reason of the signal. */
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

/** The paths of lists, which are read with GET, or with POST to `…/query`. */
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

/** The paths that can answer with lines of JSON. */
export type LinesPath = {
  [P in PathOf<'get'>]: [Content<P, 'get', 'application/x-ndjson'>] extends [never] ? never : P
}[PathOf<'get'>]

export type LineOf<P extends LinesPath> = Content<P, 'get', 'application/x-ndjson'>
