// Sends one event to the receiver of a webhook.
import { createHmac } from 'node:crypto'
import type { Static } from 'typebox'
import type { Feed, FeedRow } from '../../../db/feeds.js'
import type { OpenedGlue, Webhook } from '../../../db/glue/endpoints/settings.js'
import { presentEvent, type WebhookHeaders, webhookEventType } from '../../../db/glue/webhook-events.js'
import { type Outbound, OutboundFailed } from '../../../runtime/outbound/outbound.js'
import { webhookSecretBytes, webhookSecretForm } from '../../../runtime/secrets/webhook-secret.js'

const timeoutMs = 10_000

/** Why an event did not arrive. The reason contains no path and nothing of the answer. */
export interface Failure {
  reason: string
  /** True if the webhook stops: nothing more is sent until somebody replays it. */
  isFinal: boolean
}

export interface Receiver {
  tenantKey: string
  feed: Feed
  webhook: Webhook
  /** The tenant's secrets by name. */
  secrets: OpenedGlue['secrets']
}

const failure = (reason: string, isFinal = false): Failure => ({ reason: reason.slice(0, 1000), isFinal })

/** Sends one event. @returns why it did not arrive, or undefined if it did. */
export async function send(
  outbound: Outbound,
  { tenantKey, feed, webhook: { url, secrets: names }, secrets }: Receiver,
  row: FeedRow,
): Promise<Failure | undefined> {
  const event = presentEvent(tenantKey, feed, row)
  const timestamp = Math.floor(Date.now() / 1000)
  const body = JSON.stringify(event)
  const signatures: string[] = []
  for (const name of names) {
    const key = webhookSecretBytes(secrets[name]?.value ?? '')
    if (!key) return failure(`The secret '${name}' is not ${webhookSecretForm}.`)
    signatures.push(`v1,${createHmac('sha256', key).update(`${event.id}.${timestamp}.${body}`).digest('base64')}`)
  }
  const signature: Static<typeof WebhookHeaders> = {
    'webhook-id': event.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
  const headers = { 'content-type': webhookEventType, ...signature }
  try {
    const { status } = await outbound.send({
      method: 'POST',
      url,
      headers,
      body,
      timeoutMs,
      maxBytes: 64 * 1024,
      redirect: 'manual',
    })
    if (status >= 200 && status < 300) return undefined
    if (status === 410) return failure('The receiver answered 410: it unsubscribed.', true)
    if (status >= 300 && status < 400) return failure(`The receiver redirects (${status}), which is not followed.`)
    return failure(`The receiver answered ${status}.`)
  } catch (error) {
    if (error instanceof OutboundFailed) return failure(error.message)
    throw error
  }
}
