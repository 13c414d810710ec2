// Defines the search attributes of runs in Temporal.
import { defineSearchAttributeKey } from '@temporalio/common'
import { jobPercent } from '../../workflows/jobs/contracts.js'

/**
 * The attributes by which operators filter runs in the Temporal UI. They are registered by `npm start`, by the compose
 * file and, if permitted, by the API.
 */
export const searchAttributes = {
  tenantKey: defineSearchAttributeKey('TenantKey', 'KEYWORD'),
  jobKind: defineSearchAttributeKey('JobKind', 'KEYWORD'),
  jobId: defineSearchAttributeKey('JobId', 'KEYWORD'),
  actor: defineSearchAttributeKey('Actor', 'KEYWORD'),
  jobPercent,
}
