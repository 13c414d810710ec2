// Creates all activities, with the dependencies of one process.
import type { PublishedForms } from '../db/forms/templates/published-forms.js'
import type { Reads } from '../db/replicas.js'
import type { ExportTargets } from '../db/storage/export-targets.js'
import type { Seal } from '../runtime/secrets/seal.js'
import type { Outcomes } from '../runtime/temporal/outcomes.js'
import type { JobKind, JobProgress, StepsInput } from '../workflows/jobs/contracts.js'
import { tokenActivities } from './auth/activities.js'
import type { Grants } from './auth/grants.js'
import type { TokenValidator } from './auth/validate-token.js'
import { deliveryActivities } from './forms/deliver.js'
import { exportActivities } from './forms/export.js'
import { extractActivities } from './forms/extract.js'
import { entityImportActivities } from './frame/entity-import.js'
import { portalMailActivities } from './frame/portal-mail.js'
import { subjectErasureActivities } from './frame/subject-erasure.js'
import { subjectImportActivities } from './frame/subject-import.js'
import { transferActivities } from './frame/transfer.js'
import { dataChangeActivities } from './glue/data/data-change.js'
import { refreshActivities } from './glue/data/refresh.js'
import { attempted, endpointActivities } from './glue/endpoints/activities.js'
import type { Glue } from './glue/endpoints/glue.js'
import { deliveryOfEvents } from './glue/webhooks/deliver.js'
import { bulkActivities } from './jobs/bulk.js'
import { jobActivities } from './jobs/do-steps.js'
import { type AttentionMailDependencies, attentionMailActivities } from './platform/attention-mail.js'
import { manifestScheduleActivities } from './platform/manifest-schedules.js'
import { type OutboxDependencies, outboxActivities } from './platform/outbox.js'
import { type RetentionDependencies, retentionActivities } from './platform/retention.js'
import { searchWordActivities } from './platform/search-words.js'
import { tenantDeletionActivities } from './platform/tenant-deletion.js'
import { tenantExportActivities } from './platform/tenant-export.js'
import { unknownActivities } from './platform/unknown-activities.js'
import { webhookActivities } from './platform/webhooks.js'

export interface ActivityDependencies
  extends Glue,
    OutboxDependencies,
    RetentionDependencies,
    AttentionMailDependencies {
  grants: Grants
  tokens: TokenValidator
  seal: Seal
  forms: PublishedForms
  reads: Reads
  /** The directories and buckets that exports of forms may be written to. */
  targets: ExportTargets
  /** Announces jobs that end in this process to requests that wait for them here. */
  jobEnds: Outcomes<true>
  /** The greatest depth that a structural entity may have; a root has 1. */
  maxDepth: number
}

/** The activity of a kind of job, which has the kind's name and does the next steps of a job. */
type StepsActivity = (input: StepsInput) => Promise<JobProgress>

const activitiesOf = (dependencies: ActivityDependencies) => ({
  ...attentionMailActivities(dependencies),
  ...bulkActivities(dependencies),
  ...dataChangeActivities(dependencies),
  ...deliveryActivities(dependencies),
  ...deliveryOfEvents(dependencies),
  ...endpointActivities(dependencies),
  ...entityImportActivities(dependencies),
  ...exportActivities(dependencies),
  ...extractActivities(dependencies),
  ...jobActivities(dependencies),
  ...manifestScheduleActivities(dependencies),
  ...outboxActivities(dependencies),
  ...portalMailActivities(dependencies),
  ...refreshActivities(dependencies),
  ...retentionActivities(dependencies),
  ...searchWordActivities(dependencies),
  ...subjectErasureActivities(dependencies),
  ...subjectImportActivities(dependencies),
  ...tenantDeletionActivities(dependencies),
  ...tenantExportActivities(dependencies),
  ...transferActivities(dependencies),
  ...unknownActivities(dependencies),
  ...webhookActivities(dependencies),
  ...tokenActivities(dependencies, check =>
    attempted(dependencies.outcomes, attempt => dependencies.stepRunner.validate(check, attempt)),
  ),
})

/**
 * Creates all activities. Workflows import only the type. Its `Record` makes the compiler complain about a kind of job
 * that has no activity.
 */
export const createActivities = (
  dependencies: ActivityDependencies,
): ReturnType<typeof activitiesOf> & Record<JobKind, StepsActivity> => activitiesOf(dependencies)

export type Activities = ReturnType<typeof createActivities>
