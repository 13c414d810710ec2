// Every export is a workflow type.

export { singlePassDelivery } from './forms/delivery.js'
export { formExport } from './forms/form-export.js'
export { multiExtract } from './forms/multi-extract.js'
export { scheduledExport } from './forms/scheduled-export.js'
export {
  groupBulkUpsert,
  structuralEntityBulkUpsert,
  structureTypeBulkUpsert,
  subjectBulkUpsert,
} from './frame/bulk-upsert.js'
export { structuralEntityImport, subjectImport } from './frame/imports.js'
export { portalInvitation } from './frame/portal-invitation.js'
export { subjectErasure } from './frame/subject-erasure.js'
export { subjectTransfer, subjectTransferUndo } from './frame/subject-transfer.js'
export { dataChange } from './glue/data-change.js'
export { dataSetRefresh } from './glue/data-set-refresh.js'
export { glueEndpoint } from './glue/endpoint-run.js'
export { scheduledRefresh } from './glue/scheduled-refresh.js'
export { manifestSchedules, outbox, retention, searchWords, webhooks } from './platform/upkeep.js'
