// The search attributes of runs in Temporal.
import { defineSearchAttributeKey } from '@temporalio/common'

/**
 * The attributes by which operators filter runs in the Temporal UI. Registered by `npm start`, the compose file and,
 * where allowed, the API.
 */
export const searchAttributes = {
  tenantKey: defineSearchAttributeKey('TenantKey', 'KEYWORD'),
  jobKind: defineSearchAttributeKey('JobKind', 'KEYWORD'),
  jobId: defineSearchAttributeKey('JobId', 'KEYWORD'),
  actor: defineSearchAttributeKey('Actor', 'KEYWORD'),
}
