// Repeats a call while the API is busy or away.
import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswer, secondsOf } from './problems.js'

// cockatiel's waits between attempts end with the time and not with a signal; undici's RetryAgent serves its own fetch
// alone, and neither takes a new stream for an attempt.

/** A wait before an attempt. */
export interface Wait {
  /** Of the answer that asks for it; undefined where none came. */
  status: number | undefined
  waitMs: number
}

/** How long and how a call is repeated. */
export interface Patience {
  /** From the first attempt on, in ms. No attempt begins later. */
  patienceMs: number
  onWait?: ((wait: Wait) => void) | undefined
  signal?: AbortSignal | undefined
}

/** A call as this repeats it. */
export interface Attempts {
  url: string
  /** One attempt. @throws NoAnswer */
  send(): Promise<Response>
  /** The body can be sent again. */
  isResendable: boolean
  /** A call that may have been carried out can be repeated: it has the same effect. */
  isRepeatable: boolean
}

/** Waits without a Retry-After: doubled from the first to the last, each shortened at random. */
const [firstWaitMs, lastWaitMs] = [200, 5_000]

/**
 * Sends a call until it is answered.
 * - 429 and 503 say that nothing was done: any call is repeated, after `Retry-After`.
 * - 502, 504 and a broken connection say nothing: only repeatable calls are.
 * @returns the last answer, also where it still is one of these. @throws NoAnswer; the reason of the signal.
 */
export async function sendPatiently(call: Attempts, { patienceMs, onWait, signal }: Patience): Promise<Response> {
  const deadline = performance.now() + patienceMs
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
 * Sends once. An answer that is not streamed is read to its end, so that one that breaks off counts as none.
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

/** Waits. @throws the reason of the signal. */
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
    // Tokens come from another address, which has been waited for already.
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
