import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type JobRow, jobStore } from '../../db/jobs/jobs.js'
import { searchAttributes } from '../../runtime/search-attributes.js'
import type { Temporal } from '../../runtime/temporal.js'
import { changedSignal } from '../../workflows/glue/contracts.js'
import { type JobInput, type JobKind, queues } from '../../workflows/jobs/contracts.js'

/** How long Temporal may take to accept a start before it counts as away, in ms. */
export const startTimeoutMs = 5_000

/** The part of a job that Temporal gets. */
export type Run = Pick<JobRow, 'id' | 'kind' | 'queue' | 'actor' | 'workflow_id' | 'total'>

/** Starts the workflow of a job, and notes that it has one. @throws as {@link startRun}. */
export async function startJob(db: Knex, temporal: Temporal, job: Run, tenantKey: string): Promise<void> {
  await startRun(temporal, job, tenantKey)
  if (job.queue === queues.background) await jobStore(db, await tenantIdOf(db, tenantKey)).handedOver(job.id)
}

/**
 * Starts the workflow of a job, or joins the run that there is. An interactive one runs in this process if it can.
 * @throws the SDK's error when Temporal does not take it.
 */
async function startRun({ client }: Temporal, job: Run, tenantKey: string): Promise<void> {
  const input: JobInput = { tenantKey, jobId: job.id, queue: job.queue }
  const run = {
    taskQueue: job.queue,
    workflowId: job.workflow_id,
    args: [input],
    staticSummary: summary(job),
    typedSearchAttributes: [
      { key: searchAttributes.tenantKey, value: tenantKey },
      { key: searchAttributes.jobKind, value: job.kind },
      { key: searchAttributes.jobId, value: job.id },
      { key: searchAttributes.actor, value: job.actor },
    ],
    ...(job.queue === queues.background ? { priority: { fairnessKey: tenantKey } } : {}),
  }
  const requestEagerStart = job.queue === queues.interactive
  await client.withDeadline(Date.now() + startTimeoutMs, async () => {
    // One run for all jobs of a subject, which may just be ending: a signal keeps it, or starts the next one.
    if (job.kind === 'dataChange') {
      await client.workflow.signalWithStart(job.kind, { ...run, signal: changedSignal, signalArgs: [input] })
    } else {
      await client.workflow.start(job.kind, { ...run, workflowIdConflictPolicy: 'USE_EXISTING', requestEagerStart })
    }
  })
}

/** What the total of a job counts: one, and several. */
const counted: Record<JobKind, readonly [one: string, several: string]> = {
  structuralEntityBulkUpsert: ['item', 'items'],
  structureTypeBulkUpsert: ['item', 'items'],
  groupBulkUpsert: ['item', 'items'],
  subjectBulkUpsert: ['item', 'items'],
  subjectTransfer: ['subject', 'subjects'],
  subjectTransferUndo: ['subject', 'subjects'],
  portalInvitation: ['mail', 'mails'],
  dataSetRefresh: ['row', 'rows'],
  dataChange: ['change', 'changes'],
  singlePassDelivery: ['form', 'forms'],
  multiExtract: ['definition', 'definitions'],
  formExport: ['file', 'files'],
}

/** What operators read of a run in the Temporal UI. */
function summary({ kind, total, actor }: Run): string {
  const [one, several] = counted[kind]
  return `${total.toLocaleString('en')} ${total === 1 ? one : several} from ${actor}`
}
