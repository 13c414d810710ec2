// Sends the demo's requests to form pages and to the register, which are not part of the API description.
import { answerOf, sendRepeatedly } from '../../client/repetition.js'
import { DemoError } from './client.js'

const retryTimeoutMs = 60_000

/**
 * Sends a request, and repeats it for up to a minute while nothing answers. So it must be safe to repeat. Redirections are
 * not followed.
 * @throws NoAnswer if there is none in that time; DemoError for a status of 400 or more.
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
