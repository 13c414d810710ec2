// Defines the errors that the client throws.
import type { components } from './api.js'

/** A problem document (RFC 9457). */
export type ProblemDocument = components['schemas']['Problem']
/** A single fault of a request, with its position and code. */
export type Fault = NonNullable<ProblemDocument['errors']>[number]
export type Job = components['schemas']['Job']

/** The API refused a call or failed. Nothing was written. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  /** Stable code of the problem, such as `validation`. It is the last part of `type`. */
  readonly code: string
  readonly title: string
  readonly detail: string
  /** The faults of the request, at most 500. Empty if the problem is not about single parts of the request. */
  readonly errors: readonly Fault[]
  /** Id to find the request by in the logs. */
  readonly traceId: string | undefined
  /** Seconds to wait before repeating the call (`Retry-After`). */
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
    // The answer may come from a proxy or, if the URL is wrong, from another server. It then has no problem document.
    this.code = type.split('/').at(-1) || 'not-json'
    this.title = title
    this.detail = detail
    this.errors = errors
    this.traceId = traceId
    this.retryAfter = secondsOf(headers.get('retry-after'))
  }
}

/** The identity service refused to issue a token: the credentials are wrong, or the client does not have the scope. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'

  constructor(
    /** OAuth error code, such as `invalid_client`. */
    readonly code: string,
    /** Status of the answer; undefined if it was not an OAuth answer. */
    readonly status: number | undefined,
    readonly description: string,
    options?: ErrorOptions,
  ) {
    super(`No token: ${code}: ${description}`, options)
  }
}

/** The server did not answer, or its answer broke off. `cause` is the last failure. */
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

/** A job failed or was cancelled. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'

  constructor(readonly job: Job) {
    const { detail }: Partial<ProblemDocument> = Object(job.problem)
    super(`The job ${job.jobId} ended as ${job.status}${detail === undefined ? '' : `: ${detail}`}`)
  }
}

/** Parses a `Retry-After` header. Returns undefined if it is missing, or a date, which the API never sends. */
export function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
}

/**
 * Returns the reason of a failed fetch. Its own message is just "fetch failed"; the cause may be a list with an error
 * per address.
 */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error ? first.message : String(first)
}
