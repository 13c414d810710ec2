// Requests of the demo to pages and to the register, which the API's description does not have.
import { answerOf, sendRepeatedly } from '../../client/repetition.js'
import { DemoError } from './client.js'

const retryTimeoutMs = 60_000

/**
 * Sends a request that may come twice, again and again while nothing answers. A redirection is an answer.
 * @throws NoAnswer; DemoError for a status of 400 or more.
 */
export async function requested(url: URL, init: RequestInit = {}): Promise<Response> {
  const request = new Request(url, { redirect: 'manual', ...init })
  const answer = await sendRepeatedly(
    { url: request.url, isResendable: true, isRepeatable: true, send: () => answerOf(request.clone(), false) },
    { retryTimeoutMs },
  )
  if (answer.status < 400) return answer
  const text = await answer.text()
  const headline = `${request.method} ${url.pathname} was refused: ${answer.status}`
  throw new DemoError(headline, [text.slice(0, 500)], 'Is `npm start` of this version running?')
}
