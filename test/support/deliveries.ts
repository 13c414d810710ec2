// An endpoint that takes single-pass forms.
import type { IncomingHttpHeaders } from 'node:http'
import { recordingProvider, type Seen } from './endpoints.js'
import { until } from './until.js'

/** A form as it arrived at a tenant's endpoint. */
export interface Arrived {
  /** Path and query. */
  path: string
  headers: IncomingHttpHeaders
  /** Header Idempotency-Key: the transaction id. */
  key: string
  xml: string
}

/** What the endpoint answers: a status with headers, or no answer at all: it hangs up, or lets its caller wait. */
export type Told = number | { status: number; headers?: Record<string, string>; body?: string } | 'hangs'

/**
 * A real endpoint of a tenant that takes in single-pass forms, at an address that the stack may call. It answers 204 unless it
 * is told otherwise.
 * @param ports of a stack of one's own; otherwise of the shared one.
 */
export async function deliveryEndpoint(ports?: readonly number[]) {
  let answer: (nth: number, delivery: Arrived) => Told = () => 204
  const tried: Arrived[] = []
  const arrived: Arrived[] = []
  const server = await recordingProvider(async (seen, nth) => {
    const delivery = arrivedIn(seen)
    tried.push(delivery)
    const told = answer(nth, delivery)
    if (told === 'hangs') return new Promise(() => undefined)
    const { status, headers = {}, body = '' } = typeof told === 'number' ? { status: told } : told
    if (status >= 200 && status < 300) arrived.push(delivery)
    return { status, headers, body }
  }, ports)

  return {
    url: `${server.url}/forms`,
    origin: server.url,
    /** All that was sent, also what was not taken. */
    tried,
    /** What was taken with a 2xx: perhaps one form several times, under the same key. */
    arrived,
    /** Answers so from now on; `nth` counts all that was sent, from 1. */
    answers(how: Told | ((nth: number, delivery: Arrived) => Told)): void {
      answer = typeof how === 'function' ? how : () => how
    },
    /** The form with this reference, when it has arrived. */
    of: (reference: string): Promise<Arrived> =>
      until(`the form ${reference} arrives`, async () => arrived.find(({ key }) => key === reference)),
    stop: server.stop,
  }
}

export type DeliveryEndpoint = Awaited<ReturnType<typeof deliveryEndpoint>>

const arrivedIn = ({ path, headers, body }: Seen): Arrived => ({
  path,
  headers,
  key: String(headers['idempotency-key'] ?? ''),
  xml: body,
})
