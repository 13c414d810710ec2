// Tables of requests for data set refreshes.
import { id, key, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const group = '2026-11-refresh-requests'
const table = tableOf(group)

export const refreshRequests: MigrationStep[] = [
  // Each request for a refresh, also one that joins the job of another. The round that serves it begins later, so its number is
  // not lower than `ticket`. The columns from `refreshed_at` on say what that round shows, and are NULL until then.
  table(
    'data_set_requests',
    `tenant_id INT UNSIGNED NOT NULL, id ${id} NOT NULL, job_id ${id} NOT NULL, ticket BIGINT UNSIGNED NOT NULL,
     actor ${key} NOT NULL, idempotency_key ${key} NULL, request_hash ${word} NULL,
     refreshed_at DATETIME(3) NULL, as_of DATETIME(3) NULL, row_count BIGINT UNSIGNED NULL, unknown_subjects BIGINT UNSIGNED NULL,
     PRIMARY KEY (tenant_id, id), KEY data_set_requests_by_job (tenant_id, job_id, ticket),
     UNIQUE KEY data_set_requests_by_idempotency_key (tenant_id, actor, idempotency_key)`,
  ),
  // The requests of the refreshes that are kept, which were one a job.
  {
    name: `${group}-rows`,
    up: `INSERT INTO data_set_requests
     SELECT j.tenant_id, j.id, j.id, COALESCE(d.staging, d.snapshot, 0), j.actor, j.idempotency_key, j.request_hash,
       IF(j.status = 'Completed', j.finished_at, NULL), IF(j.status = 'Completed', j.accepted_at, NULL),
       IF(j.status = 'Completed', COALESCE(JSON_VALUE(j.counts, '$.rows'), 0), NULL),
       IF(j.status = 'Completed', COALESCE(JSON_VALUE(j.counts, '$.unknownSubjects'), 0), NULL)
     FROM jobs j LEFT JOIN data_sets d ON d.tenant_id = j.tenant_id AND d.refresh_job = j.id WHERE j.kind = 'dataSetRefresh'`,
  },
]
