// The workflow of one webhook.
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { queues } from '../jobs/contracts.js'
import { eventsSignal, type WebhookRef } from './contracts.js'

const events = defineSignal(eventsSignal)

/**
 * Sends the events of a webhook to its receiver. Runs until the webhook is stopped or removed, continuing as new when
 * its history grows long, and waits for a signal while there is nothing to send.
 * @param sent how many events the runs before have sent.
 */
export async function webhook(of: WebhookRef, sent = 0): Promise<{ sent: number }> {
  let isTold = false
  setHandler(events, () => {
    isTold = true
  })
  const { deliverEvents } = proxyActivities<Activities>({
    taskQueue: queues.webhooks,
    startToCloseTimeout: '2m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
    summary: `webhook ${of.webhookKey}`,
  })
  let total = sent
  while (!workflowInfo().continueAsNewSuggested) {
    isTold = false
    const done = await deliverEvents(of)
    total += done.sent
    const count = `${total.toLocaleString('en')} events sent`
    setCurrentDetails(done.reason === undefined ? count : `${count}\n\n${done.reason}`)
    // A replay may have come in the meantime.
    if (done.isOver && !isTold) return { sent: total }
    if (done.waitMs === undefined) await condition(() => isTold)
    else if (done.waitMs > 0) await condition(() => isTold, done.waitMs)
  }
  return continueAsNew<typeof webhook>(of, total)
}
