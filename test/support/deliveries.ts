// Runs an endpoint that receives single-pass forms.
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

/** An answer of the endpoint: a status, perhaps with headers and a body, or `hangs` for no answer. */
export type Told = number | { status: number; headers?: Record<string, string>; body?: string } | 'hangs'

/**
 * Starts an endpoint of a tenant that receives single-pass forms, at an address that the stack may call. It answers 204
 * unless it is told otherwise.
 * @param ports ports that the test's own stack may call, by default those of the shared stack.
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
    /** All forms that were sent, including those that the endpoint did not accept. */
    tried,
    /** Forms that were answered with 2xx. A form may occur several times, with the same key. */
    arrived,
    /** Sets the answer from now on. `nth` counts all forms that were sent, from 1. */
    answers(how: Told | ((nth: number, delivery: Arrived) => Told)): void {
      answer = typeof how === 'function' ? how : () => how
    },
    /** Waits for the form with this reference. */
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
