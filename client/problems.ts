// Errors of the client: what the API, the identity service or a job refused, and calls without an answer.
import type { components } from './api.js'

/** A problem document (RFC 9457). */
export type ProblemDocument = components['schemas']['Problem']
/** One thing wrong with a request, with its place and code. */
export type Fault = NonNullable<ProblemDocument['errors']>[number]
export type Job = components['schemas']['Job']

/** The API refused a call, or failed. Nothing was written. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  /** Stable name of the problem, such as `validation`: the last part of `type`. */
  readonly code: string
  readonly title: string
  readonly detail: string
  /** Every fault of the request, 500 at most. Empty where the whole request is refused. */
  readonly errors: readonly Fault[]
  /** Finds the log lines of the request. */
  readonly traceId: string | undefined
  /** Seconds after which the call may be repeated (`Retry-After`). */
  readonly retryAfter: number | undefined

  /** @param call such as `PUT /api/v1/group`. */
  constructor(
    readonly call: string,
    { status, headers }: Pick<Response, 'status' | 'headers'>,
    body: unknown,
  ) {
    const document: Partial<ProblemDocument> = typeof body === 'object' && body !== null ? body : {}
    const { type = '', title = `Status ${status}`, detail = '', errors = [], traceId } = document
    super(`${call}: ${status} ${title}${detail && `: ${detail}`}`)
    this.status = status
    // Proxies between answer with pages of their own, and another server answers at a wrong address.
    this.code = type.split('/').at(-1) || 'not-json'
    this.title = title
    this.detail = detail
    this.errors = errors
    this.traceId = traceId
    this.retryAfter = secondsOf(headers.get('retry-after'))
  }
}

/** The identity service gave no token: wrong credentials, or a scope that the client lacks. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'

  constructor(
    /** Code of OAuth, such as `invalid_client`. */
    readonly code: string,
    /** Undefined where what was answered is no answer of OAuth. */
    readonly status: number | undefined,
    readonly description: string,
    options?: ErrorOptions,
  ) {
    super(`No token: ${code}: ${description}`, options)
  }
}

/** Nothing answered, or the answer broke off. `cause` is the last failure. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly reason: string

  constructor(
    readonly url: string,
    cause: unknown,
  ) {
    const reason = reasonOf(cause)
    super(`${url} does not answer: ${reason}`, { cause })
    this.reason = reason
  }
}

/** A job ended as Failed or Cancelled. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'

  constructor(readonly job: Job) {
    const { detail }: Partial<ProblemDocument> = Object(job.problem)
    super(`The job ${job.jobId} ended as ${job.status}${detail === undefined ? '' : `: ${detail}`}`)
  }
}

/** `Retry-After` in seconds; undefined where it is absent, or a date, which the API never sends. */
export function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
}

// fetch says only "fetch failed"; the cause says why, and for "localhost" it holds an error for each address.
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error ? first.message : String(first)
}
