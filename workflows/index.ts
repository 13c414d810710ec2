// Exports all workflows. Every named export is a workflow type; the default export runs all other types, which are
// kinds of job.
import { workflowInfo } from '@temporalio/workflow'
import { type EndedJob, type JobInput, jobKinds } from './jobs/contracts.js'
import { runJob } from './jobs/run-job.js'

export { scheduledExport } from './forms/scheduled-export.js'
export { dataChange } from './glue/data-change.js'
export { dataSetRefresh } from './glue/data-set-refresh.js'
export { glueEndpoint } from './glue/endpoint-run.js'
export { scheduledRefresh } from './glue/scheduled-refresh.js'
export { webhook } from './glue/webhook.js'
export { attentionMail, manifestSchedules, outbox, retention, searchWords, webhooks } from './platform/upkeep.js'

/**
 * Runs a job whose kind has no workflow of its own. The workflow type names the kind.
 * @throws Error for an unknown type. This fails only the workflow task, and Temporal tries it again, perhaps in a
 *   worker of a later version that knows the type.
 */
export default async function job(input: JobInput): Promise<EndedJob> {
  const { workflowType } = workflowInfo()
  const kind = jobKinds.find(each => each === workflowType)
  if (kind === undefined) throw new Error(`This version has no workflow and no kind of job '${workflowType}'`)
  return runJob(kind, input)
}
