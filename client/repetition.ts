// Repeats calls while the API is busy or does not answer.
import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswer, secondsOf } from './problems.js'

// Written by hand because cockatiel's waits cannot be aborted, undici's RetryAgent works only with its own fetch, and
// neither
// can use a new stream for each attempt.

/** A wait before the next attempt. */
export interface Wait {
  /** Status of the answer that caused the wait; undefined if there was no answer. */
  status: number | undefined
  waitMs: number
}

/** Limits for repeating a call. */
export interface Repetition {
  /** How long the call is repeated, in ms after the first attempt. No attempt begins later. */
  retryTimeoutMs: number
  onWait?: ((wait: Wait) => void) | undefined
  signal?: AbortSignal | undefined
}

/** A call that can be repeated. */
export interface Attempts {
  url: string
  /** Makes one attempt. @throws NoAnswer */
  send(): Promise<Response>
  /** True if the body can be sent again. */
  isResendable: boolean
  /** True if repeating the call has no further effect. It can then be repeated even if it may have been carried out. */
  isRepeatable: boolean
}

/**
 * First and longest wait without a Retry-After, in ms. Waits double in between, and each is shortened at random by up
 * to half.
 */
const [firstWaitMs, lastWaitMs] = [200, 5_000]

/**
 * Sends a call until it is answered. After 429 and 503 any call is repeated, because nothing was done. After 502, 504 and a
 * broken connection only repeatable calls are.
 * @returns the last answer, which is one of these statuses if time ran out. @throws NoAnswer; the reason of the signal.
 */
export async function sendRepeatedly(
  call: Attempts,
  { retryTimeoutMs, onWait, signal }: Repetition,
): Promise<Response> {
  const deadline = performance.now() + retryTimeoutMs
  for (let attempt = 1; ; attempt++) {
    const answer = await answerTo(call, signal)
    const status = answer instanceof NoAnswer ? undefined : answer.status
    const waitMs = waitBefore(answer, attempt)
    if (!call.isResendable || !mayRepeat(call, status) || performance.now() + waitMs > deadline) {
      if (answer instanceof NoAnswer) throw answer
      return answer
    }
    if (!(answer instanceof NoAnswer)) await answer.body?.cancel()
    onWait?.({ status, waitMs })
    await pause(waitMs, signal)
  }
}

/**
 * Sends a request once. Unless the answer is streamed, it is read to its end, so that a truncated answer throws NoAnswer.
 * @throws NoAnswer; the reason of the request's signal.
 */
export async function answerOf(request: Request, isStream: boolean): Promise<Response> {
  try {
    const answer = await fetch(request)
    if (isStream || answer.body === null) return answer
    const { status, statusText, headers } = answer
    return new Response(await answer.arrayBuffer(), { status, statusText, headers })
  } catch (error) {
    request.signal.throwIfAborted()
    throw new NoAnswer(request.url, error)
  }
}

/** Waits for some time. @throws the reason of the signal if it aborts the wait. */
export async function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(waitMs, undefined, signal && { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

async function answerTo(call: Attempts, signal: AbortSignal | undefined): Promise<Response | NoAnswer> {
  try {
    return await call.send()
  } catch (error) {
    signal?.throwIfAborted()
    // An error with another URL comes from the token endpoint, where the attempt has been repeated already.
    if (error instanceof NoAnswer && error.url === call.url) return error
    throw error
  }
}

function mayRepeat({ isRepeatable }: Attempts, status: number | undefined): boolean {
  if (status === 429 || status === 503) return true
  return isRepeatable && (status === undefined || status === 502 || status === 504)
}

function waitBefore(answer: Response | NoAnswer, attempt: number): number {
  const seconds = answer instanceof NoAnswer ? undefined : secondsOf(answer.headers.get('retry-after'))
  if (seconds !== undefined) return seconds * 1_000
  return Math.min(firstWaitMs * 2 ** (attempt - 1), lastWaitMs) * (0.5 + Math.random() / 2)
}
