// Failures of provider calls, and the rules for repeating them.
import { Problem } from '../../runtime/problem.js'

/** Why a call of a provider has no answer that a pipeline could look at. */
export type ProviderFailure =
  /** It answered with a status that asks to come back: 408, 425, 429, 5xx. */
  | 'status'
  | 'timeout'
  | 'network'
  /** It failed several times in a row, and is left alone for a while. */
  | 'circuit-open'
  /** Its token endpoint does not want our credentials, or its answer cannot be used. */
  | 'token-refused'
  /** Its token endpoint is away or overloaded. */
  | 'token-unavailable'
  | 'too-large'
  | 'encoding'
  | 'redirect'
  | 'request'
  | 'url'
  | 'https-only'
  | 'credentials-in-url'
  | 'private-address'
  /** The address is not the provider's, whose credentials the call would have carried. */
  | 'other-host'

/**
 * A failed call to a provider. The message names the provider or the host, and the failure; it never holds a token, a
 * path, a query or a body. It has no cause, because causes cross to Temporal.
 */
export class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed'
  /** The same call may be made again. */
  readonly retryable: boolean
  /** It may pass by itself, whether or not the call may be made again. */
  readonly isTransient: boolean
  /** When to come back, where the provider or its circuit says so. */
  readonly retryAfterMs: number | undefined
  /** Of the provider's answer, where there is one. */
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

/** The sentence for a call that is not repeated although its failure may pass. Empty for all others. */
export const notRepeated = ({ isTransient, retryable }: ProviderFailed): string =>
  isTransient && !retryable ? ' The call is not idempotent and may have been carried out, so it is not repeated.' : ''

/** The failure as the problem that puts a job off, until when the provider says. */
export const providerAway = (detail: string, { retryAfterMs }: ProviderFailed): Problem => {
  const headers = retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
  return new Problem('provider-away', detail, [], headers)
}

/** Statuses after which the same call may succeed later. */
export const isRetryableStatus = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500

/** Whether a provider that answers so has certainly not carried out the call. */
export const isRejection = (status: number, retryAfterMs: number | undefined): boolean =>
  status === 429 || status === 425 || (status === 503 && retryAfterMs !== undefined)

const longestWaitMs = 3_600_000

/** `Retry-After` (RFC 9110, 10.2.3: seconds or a date) in ms, at most an hour; undefined where it is missing or no such value. */
export function retryAfterMs(value: string | null | undefined, now = Date.now()): number | undefined {
  const text = value?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate.test(text) ? Date.parse(text) - now : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestWaitMs)
}

/** The one form of dates that is sent today; `Date.parse` alone would take many more texts. */
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
