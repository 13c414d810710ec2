// Every export is a workflow type.
export { groupBulkUpsert, structuralEntityBulkUpsert, structureTypeBulkUpsert } from './frame/bulk-upsert.js'
