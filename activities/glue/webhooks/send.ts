// Sends one event to the receiver of a webhook.
import { createHmac } from 'node:crypto'
import type { Feed, FeedRow } from '../../../db/feeds.js'
import type { Webhook } from '../../../db/glue/endpoints/settings.js'
import { type Outbound, OutboundFailed } from '../../../runtime/outbound/outbound.js'
import { webhookSecretBytes, webhookSecretForm } from '../../../runtime/secrets/webhook-secret.js'

const timeoutMs = 10_000

/** Why an event did not arrive. The reason contains no path and nothing of the answer. */
export interface Failure {
  reason: string
  /** Whether nothing is sent until somebody replays the webhook. */
  isFinal: boolean
}

export interface Receiver {
  tenantKey: string
  feed: Feed
  webhook: Webhook
  /** The tenant's secrets by name. */
  variables: Record<string, string>
}

const failure = (reason: string, isFinal = false): Failure => ({ reason: reason.slice(0, 1000), isFinal })

/** Sends one event. @returns why it did not arrive, or undefined if it did. */
export async function send(
  outbound: Outbound,
  { tenantKey, feed, webhook: { url, secrets }, variables }: Receiver,
  row: FeedRow,
): Promise<Failure | undefined> {
  // The id contains the tenant, because a receiver that remembers ids may serve several tenants.
  const id = `${tenantKey}-${feed}-${row.position}`
  const timestamp = Math.floor(Date.now() / 1000)
  const body = JSON.stringify({
    specversion: '1.0',
    id,
    source: `/tenants/${tenantKey}`,
    type: `armature.${feed}.${row.kind}`,
    subject: row.id,
    time: row.changed_at.toISOString(),
    ...(row.into_id && { data: { intoSubjectId: row.into_id } }),
  })
  const signatures: string[] = []
  for (const name of secrets) {
    const key = webhookSecretBytes(variables[name] ?? '')
    if (!key) return failure(`The secret '${name}' is not ${webhookSecretForm}.`)
    signatures.push(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
  }
  const headers = {
    'content-type': 'application/cloudevents+json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
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
