// The workflows of the platform's own work.
import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import type { Forgotten, OutboxReport } from './contracts.js'

const { startAccepted, settleSearchWords, keepManifestSchedules, deliverWebhooks, forget } =
  proxyActivities<Activities>({
    startToCloseTimeout: '30m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  })

/** Starts jobs that were accepted and have no run, and ends those whose run is over. It never ends: its schedule begins it again. */
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

/** Learns words that are new to a tenant, for searches with typos, and forgets those that nobody has. It never ends, as the outbox. */
export async function searchWords(): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) await settleSearchWords()
  await continueAsNew<typeof searchWords>()
}

/** Keeps the schedules that manifests ask for. It never ends: its own schedule begins it again. */
export async function manifestSchedules(): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) await keepManifestSchedules()
  await continueAsNew<typeof manifestSchedules>()
}

/** Carries events to the subscriptions of tenants. It never ends, as the outbox. */
export async function webhooks(): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) await deliverWebhooks()
  await continueAsNew<typeof webhooks>()
}

/** Deletes what is kept no longer: jobs whose time is over, data sets that no manifest has, uploads that broke off. */
export async function retention(): Promise<Forgotten> {
  return forget()
}
