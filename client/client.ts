// The client of the API. To the calls of the API description it adds tokens, retries, idempotency keys, jobs and paging.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import createFetchClient, { mergeHeaders } from 'openapi-fetch'
import type { paths } from './api.js'
import { type Body, bodyOf } from './bodies.js'
import { idempotentCalls } from './idempotent-calls.js'
import { untilEnded, type WaitOptions } from './jobs.js'
import { linesOf, nodesOf, pagesOf } from './lists.js'
import { ApiProblem, type Job } from './problems.js'
import { answerOf, type Repetition, sendRepeatedly } from './repetition.js'
import { type Credentials, clientTokens } from './tokens.js'
import type {
  Answer,
  Call,
  CallInit,
  CallOptions,
  LineOf,
  LinesPath,
  ListPath,
  Method,
  NodeOf,
  PageOf,
} from './types.js'

export interface ClientOptions extends Credentials, Pick<CallOptions, 'retryTimeoutMs' | 'onWait'> {
  /** Address of the API, such as `https://armature.example.org`. */
  url: string
  /** The token endpoint. Default: that of the API's own identity service. */
  tokenUrl?: string
}

/** Calls the API as one client of a tenant. All calls share one token, and they can run concurrently. */
export interface Client {
  get: Call<'get'>
  put: Call<'put'>
  post: Call<'post'>
  patch: Call<'patch'>
  delete: Call<'delete'>
  /**
   * Waits for a job to end.
   * @returns the completed job. @throws JobFailed if the job failed or was cancelled.
   */
  waitForJob(job: Pick<Job, 'jobId'>, options?: WaitOptions): Promise<Job>
  /** Reads a list page by page, starting after the cursor in `After` if there is one. */
  pages<P extends ListPath<'get'>>(path: P, init?: Partial<CallInit<P, 'get'>>): AsyncGenerator<PageOf<P, 'get'>>
  /** Reads the entries of a list, fetching one page after the other. */
  each<P extends ListPath<'get'>>(path: P, init?: Partial<CallInit<P, 'get'>>): AsyncGenerator<NodeOf<PageOf<P, 'get'>>>
  /**
   * Reads the entries of a list with a POST, for more keys than fit into a URL or for search values that must not be in
   * one.
   */
  query<P extends ListPath<'post'>>(path: P, init: CallInit<P, 'post'>): AsyncGenerator<NodeOf<PageOf<P, 'post'>>>
  /** Reads the lines of an NDJSON answer as they arrive. Throws if the answer breaks off; the call can then be repeated. */
  lines<P extends LinesPath>(path: P, init: CallInit<P, 'get'>): AsyncGenerator<LineOf<P>>
  /** Returns the full URL of a path, such as a link in a job. */
  url(path: string): string
}

const defaultRetryTimeoutMs = 60_000

/** Header of a write's answer. Sent with a later read, it makes sure that the read shows the write. */
const commitToken = 'Commit-Token'

/** Default number of entries on a page. */
const pageSize = 200

/** Parameters and options of any call. */
interface AnyInit extends CallOptions {
  params?: { query?: Record<string, unknown>; header?: Record<string, unknown>; path?: Record<string, unknown> }
  body?: unknown
  headers?: Parameters<typeof mergeHeaders>[0]
  parseAs?: string
  bodySerializer?: (body: unknown) => unknown
}

type AnyCall = (method: Method, path: string, init?: AnyInit) => Promise<Answer<unknown>>

/** Creates a client. The token is requested by the first call. */
export function createClient({
  url,
  tokenUrl,
  retryTimeoutMs = defaultRetryTimeoutMs,
  onWait,
  ...credentials
}: ClientOptions): Client {
  const base = url.replace(/\/$/, '')
  const token = tokenUrl ?? `${base}/identity/connect/token`
  // A request for a token is shared by all calls, so the signal of a single call must not abort it.
  const tokens = clientTokens(token, credentials, request =>
    sendRepeatedly(
      { url: token, isResendable: true, isRepeatable: true, send: () => answerOf(request.clone(), false) },
      { retryTimeoutMs, onWait },
    ),
  )
  // The code below handles all paths alike, so it uses openapi-fetch without its types. The public types restore them.
  const send = createFetchClient<paths>({ baseUrl: base }).request as unknown as (
    method: Method,
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>

  // The latest commit token. It makes sure that this client's reads show its writes, even on read replicas (docs/frame.md).
  let committed = 0

  const call: AnyCall = async (
    method,
    path,
    { retryTimeoutMs: ownRetryTimeoutMs, isRepeatable, onWait: ownOnWait, ...init } = {},
  ) => {
    const name = `${method.toUpperCase()} ${path}`
    const body = bodyOf(init.bodySerializer ? init.bodySerializer(init.body) : init.body)
    const isIdempotent = idempotentCalls.has(name)
    const repetition = {
      retryTimeoutMs: ownRetryTimeoutMs ?? retryTimeoutMs,
      onWait: ownOnWait ?? onWait,
      signal: init.signal,
    }
    let answer: Response | undefined
    const { data, error, response } = await send(method, path, {
      ...init,
      headers: mergeHeaders(isIdempotent ? { 'Idempotency-Key': randomUUID() } : {}, init.headers),
      bodySerializer: () => body.content,
      duplex: 'half',
      fetch: async (request: Request) => {
        answer = await sendRepeatedly(
          {
            url: request.url,
            isResendable: body.isResendable,
            isRepeatable: isRepeatable ?? (isIdempotent || hasSameEffect(method, path)),
            send: () => withToken(request, body, init.parseAs === 'stream', repetition),
          },
          repetition,
        )
        return answer
      },
    }).catch((error: unknown) => {
      throw answer && error instanceof SyntaxError ? new ApiProblem(name, answer, undefined) : error
    })
    if (!response.ok) throw new ApiProblem(name, response, error)
    return { data, response }
  }

  /** Makes one attempt. If the token is refused, it is renewed and the attempt repeated once. */
  async function withToken(request: Request, { renew, isResendable }: Body, isStream: boolean, { signal }: Repetition) {
    for (let isSecond = false; ; isSecond = true) {
      const current = await awaitUnlessAborted(tokens.get(), signal)
      const attempt = renew
        ? new Request(request, { body: renew(), duplex: 'half' })
        : isResendable
          ? request.clone()
          : request
      attempt.headers.set('authorization', `Bearer ${current}`)
      if (committed > 0 && !attempt.headers.has(commitToken)) attempt.headers.set(commitToken, String(committed))
      const answer = await answerOf(attempt, isStream)
      committed = Math.max(committed, Number(answer.headers.get(commitToken)) || 0)
      if (answer.status !== 401 || !isResendable || isSecond) return answer
      await answer.body?.cancel()
      tokens.drop(current)
    }
  }

  const read = (method: 'get' | 'post', path: string, init: AnyInit = {}) =>
    pagesOf(async after => {
      const { query = {} } = init.params ?? {}
      const own = { First: pageSize, ...(method === 'get' ? query : Object(init.body)) }
      if ('Last' in own) delete own.First
      const asked = after === undefined ? own : { ...own, After: after }
      const { data } = await call(
        method,
        path,
        method === 'get' ? { ...init, params: { ...init.params, query: asked } } : { ...init, body: asked },
      )
      return data
    })

  async function* entries(...asked: Parameters<typeof read>) {
    for await (const page of read(...asked)) yield* nodesOf(page)
  }

  async function* lines(path: string, init: AnyInit = {}) {
    const { response } = await call('get', path, {
      ...init,
      parseAs: 'stream',
      headers: mergeHeaders({ accept: 'application/x-ndjson' }, init.headers),
    })
    if (response.body) yield* linesOf(response.body)
  }
  const client: Record<keyof Client, unknown> = {
    get: (path: string, init?: AnyInit) => call('get', path, init),
    put: (path: string, init?: AnyInit) => call('put', path, init),
    post: (path: string, init?: AnyInit) => call('post', path, init),
    patch: (path: string, init?: AnyInit) => call('patch', path, init),
    delete: (path: string, init?: AnyInit) => call('delete', path, init),
    waitForJob(job: Pick<Job, 'jobId'>, options: WaitOptions = {}) {
      return untilEnded(() => getJob(typed, job, options), options)
    },
    pages: (path: string, init?: AnyInit) => read('get', path, init),
    each: (path: string, init?: AnyInit) => entries('get', path, init),
    query: (path: string, init?: AnyInit) => entries('post', path, init),
    lines,
    url: (path: string) => new URL(path.replace(/^\//, './'), `${base}/`).href,
  }
  // TypeScript cannot relate the type of each path to one function that handles them all.
  const typed = client as unknown as Client
  return typed
}

async function getJob(client: Client, { jobId }: Pick<Job, 'jobId'>, { signal, onWait }: WaitOptions): Promise<Job> {
  const params = { path: { jobId } }
  const { data } = await client.get('/api/v1/jobs/{jobId}', {
    params,
    ...(signal && { signal }),
    ...(onWait && { onWait }),
  })
  return data
}

/** POSTs that have the same effect when repeated (docs/frame.md, "Repetition"). Searches have it too. */
const repeatablePosts = new Set(['/api/v2/subject', '/api/v2/messaging/subject', '/api/v1/jobs/{jobId}/cancel'])

const hasSameEffect = (method: Method, path: string): boolean =>
  method === 'post' ? repeatablePosts.has(path) || path.endsWith('/query') : method !== 'patch'

async function awaitUnlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  signal.throwIfAborted()
  const done = new AbortController()
  const aborted = once(signal, 'abort', { signal: done.signal }).then(() => signal.throwIfAborted())
  try {
    await Promise.race([work, aborted])
    return await work
  } finally {
    done.abort()
    aborted.catch(() => undefined)
  }
}
