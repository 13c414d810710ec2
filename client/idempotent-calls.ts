// Lists the calls that take an Idempotency-Key. The client sends one with each of them, so that it can repeat them.

export const idempotentCalls: ReadonlySet<string> = new Set([
  'PUT /api/v1/structureType/bulk',
  'PUT /api/v1/structuralEntity/bulk',
  'PUT /api/v1/group/bulk',
  'POST /api/v1/subject/{subjectId}/invite',
  'POST /api/v2/subject/{subjectId}/erase',
  'POST /api/v2/subject/bulk',
  'POST /api/v2/messaging/subject/bulk',
  'POST /api/v2/subject/import',
  'POST /api/v1/structuralEntity/import',
  'POST /api/v1/subjects/{subjectId}/file/upload',
  'POST /api/v1/jobs/{jobId}/retry',
  'POST /api/v1/structuralEntity/{destinationStructuralEntityKey}/subjects/transfer',
  'POST /api/v1/jobs/{jobId}/undo',
  'POST /api/v1/dataSet/{dataExtractKey}/refresh',
  'POST /api/v2.0/extract',
])
