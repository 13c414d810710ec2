// Failures of provider calls, and which of them may be retried.
import { Problem } from '../../runtime/problems/problem.js'

/** Why a call has no answer that a pipeline could use. */
export type ProviderFailure =
  /** The provider answered a status that invites a retry: 408, 425, 429, 5xx, or 4xx with `Retry-After`. */
  | 'status'
  | 'timeout'
  | 'network'
  /** The circuit breaker is open, because most of the last calls have failed. */
  | 'circuit-open'
  /** The token endpoint refused our credentials, or its answer cannot be used. */
  | 'token-refused'
  /** The token endpoint does not answer or is overloaded. */
  | 'token-unavailable'
  | 'too-large'
  | 'encoding'
  | 'redirect'
  | 'request'
  | 'url'
  | 'https-only'
  | 'credentials-in-url'
  | 'private-address'
  /** The address is not the provider's, so the call would have carried its credentials elsewhere. */
  | 'other-host'

/**
 * A failed call of a provider. The message names the provider or host and the failure, but never contains a token, a
 * path, a query or a body. The error has no cause, because Temporal would store it.
 */
export class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed'
  /** Whether the same call may be made again. */
  readonly retryable: boolean
  /** Whether the failure may pass by itself, even if the call must not be repeated. */
  readonly isTransient: boolean
  /** How long to wait, if the provider or its circuit says so. */
  readonly retryAfterMs: number | undefined
  /** Status of the provider's answer, if there was one. */
  readonly status: number | undefined
  constructor(
    readonly reason: ProviderFailure,
    message: string,
    more: {
      retryable: boolean
      isTransient?: boolean | undefined
      retryAfterMs?: number | undefined
      status?: number | undefined
    },
  ) {
    super(message)
    this.retryable = more.retryable
    this.isTransient = more.isTransient ?? more.retryable
    this.retryAfterMs = more.retryAfterMs
    this.status = more.status
  }
}

/**
 * Returns a sentence that says why a call is not repeated although its failure may pass. Empty for all other failures.
 */
export const notRepeated = ({ isTransient, retryable }: ProviderFailed): string =>
  isTransient && !retryable ? ' The call is not idempotent and may have been carried out, so it is not repeated.' : ''

/** Creates the problem that delays a job, for as long as the provider asks. */
export const providerAway = (detail: string, retryAfterMs: number | undefined): Problem => {
  const headers = retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
  return new Problem('provider-away', detail, [], headers)
}

/**
 * Tells whether the same call may succeed later, after this status. `Retry-After` says so with any error: some
 * providers answer 403 with it where others answer 429.
 */
export const isRetryableStatus = (status: number, retryAfterMs: number | undefined): boolean =>
  [408, 425, 429].includes(status) || status >= 500 || (status >= 400 && retryAfterMs !== undefined)

/** Tells whether an answer proves that the provider has not carried out the call. */
export const isRejection = (status: number, retryAfterMs: number | undefined): boolean =>
  status === 429 || status === 425 || (retryAfterMs !== undefined && status !== 408 && (status < 500 || status === 503))

const maxWaitMs = 3_600_000

/**
 * Parses `Retry-After`, which is seconds or a date (RFC 9110, 10.2.3), into ms from now, at most an hour. Returns
 * undefined if the header is missing or malformed.
 */
export function retryAfterMs(value: string | null | undefined, now = Date.now()): number | undefined {
  const text = value?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate.test(text) ? Date.parse(text) - now : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxWaitMs)
}

/** Matches the one date format that senders use today. `Date.parse` alone would accept many other texts. */
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
