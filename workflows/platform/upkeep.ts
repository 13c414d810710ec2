// The workflows of the platform's own work. All but `retention` and `attentionMail` run forever, continuing as new when their
// history grows long; their schedules restart them if they should end.
import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import type { AttentionMailed, Forgotten, OutboxReport } from './contracts.js'

const { startAccepted, settleSearchWords, syncManifestSchedules, watchFeeds, forget } = proxyActivities<Activities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
})

/** A mail that could not be sent for half a day is left to the next one. */
const { mailAttention } = proxyActivities<Activities>({
  startToCloseTimeout: '2m',
  scheduleToCloseTimeout: '12h',
  retry: { initialInterval: '10s', backoffCoefficient: 2, maximumInterval: '15m' },
})

/** Starts jobs that were accepted and have no run, and fails or restarts those whose run has ended. */
export async function outbox(before: OutboxReport = { started: 0, repaired: 0 }): Promise<void> {
  const sum = { ...before }
  while (!workflowInfo().continueAsNewSuggested) {
    const { started, repaired } = await startAccepted()
    sum.started += started
    sum.repaired += repaired
    setCurrentDetails(`${sum.started} jobs started, ${sum.repaired} repaired`)
  }
  await continueAsNew<typeof outbox>(sum)
}

/** Keeps the word index for searches with typos up to date. */
export async function searchWords(): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) await settleSearchWords()
  await continueAsNew<typeof searchWords>()
}

/** Keeps the schedules in line with the manifests. */
export async function manifestSchedules(): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) await syncManifestSchedules()
  await continueAsNew<typeof manifestSchedules>()
}

/** Tells the runs of webhooks that there are events to send. */
export async function webhooks(): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) await watchFeeds()
  await continueAsNew<typeof webhooks>()
}

/** Deletes what is no longer kept: old jobs, data sets that no manifest contains, and uploads that broke off. */
export async function retention(): Promise<Forgotten> {
  return forget()
}

/** Mails what waits for a human, once. */
export async function attentionMail(): Promise<AttentionMailed> {
  return mailAttention()
}
