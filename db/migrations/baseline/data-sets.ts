// Tables for data sets: copies of the rows that providers have about subjects.
import { bytesOf, id, json, key, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const dataSets: MigrationStep[] = [
  // The copy for one data extract of the manifest. Refreshes and changes take numbers, called tickets, from one sequence.
  table(
    'data_sets',
    `tenant_id ${tenant} NOT NULL,
     extract_key ${key} NOT NULL,
     snapshot BIGINT UNSIGNED NOT NULL DEFAULT 0, -- the rows that readers see: the number of a refresh
     as_of ${time} NULL,                    -- how old they are at most
     staging BIGINT UNSIGNED NULL,          -- the rows that a refresh is fetching
     staging_cursor ${json} NULL,           -- the provider's cursor of the next page
     staging_mark ${json} NULL,             -- an earlier cursor: should it come back, the provider's pages go round in a circle
     staging_since ${time} NULL,
     issued BIGINT UNSIGNED NOT NULL DEFAULT 0, -- the last ticket that was given
     refresh_job ${id} NULL,
     every_seconds INT UNSIGNED NULL,       -- time between two refreshes by the manifest; NULL without a schedule
     paused_at ${time} NULL,                -- since when somebody has paused its schedule
     PRIMARY KEY (tenant_id, extract_key)`,
  ),

  // A row that a provider has about a subject, as of one snapshot.
  table(
    'data_points',
    `tenant_id ${tenant} NOT NULL,
     extract_key ${key} NOT NULL,
     snapshot BIGINT UNSIGNED NOT NULL,
     subject_id ${id} NOT NULL,
     point_id ${key} NOT NULL,              -- the provider's id of the row
     subject_identifier ${key} NOT NULL,    -- by which the provider names the subject
     items ${json} NOT NULL,
     ${bytesOf('items')},
     PRIMARY KEY (tenant_id, extract_key, snapshot, subject_id, point_id)`,
  ),

  // A request for a refresh, which may share its job with other requests. The refresh that serves it must begin after the
  // request, so that refresh's number is never below the request's ticket. The columns from refreshed_at on describe the
  // result and are NULL until then.
  table(
    'data_set_requests',
    `tenant_id ${tenant} NOT NULL,
     id ${id} NOT NULL,
     job_id ${id} NOT NULL,
     ticket BIGINT UNSIGNED NOT NULL,
     actor ${key} NOT NULL,
     idempotency_key ${key} NULL,
     request_hash ${word} NULL,
     refreshed_at ${time} NULL,
     as_of ${time} NULL,
     row_count BIGINT UNSIGNED NULL,
     unknown_subjects BIGINT UNSIGNED NULL,
     PRIMARY KEY (tenant_id, id),
     UNIQUE KEY data_set_requests_by_idempotency_key (tenant_id, actor, idempotency_key),
     KEY data_set_requests_by_job (tenant_id, job_id, ticket)`,
  ),

  // A subject whose rows are to be fetched again, because the provider said that they changed. If that fails for good, the
  // row stays, and readers are told, until a later change or refresh has fetched the subject.
  table(
    'data_set_changes',
    `tenant_id ${tenant} NOT NULL,
     extract_key ${key} NOT NULL,
     subject_id ${id} NOT NULL,
     ticket BIGINT UNSIGNED NOT NULL,       -- of the latest change
     since BIGINT UNSIGNED NOT NULL,        -- ticket of the earliest change that is not fetched: readers wait for it
     pushed BIGINT UNSIGNED NOT NULL DEFAULT 0, -- ticket of the latest change that came with rows
     subject_identifier ${key} NOT NULL,
     failed_job ${id} NULL,                 -- the job that could not fetch it; a retry of that job tries again
     failed_first BIGINT UNSIGNED NULL,     -- tickets of the first and the last change that failed
     failed_last BIGINT UNSIGNED NULL,
     PRIMARY KEY (tenant_id, extract_key, subject_id),
     KEY data_set_changes_by_subject (tenant_id, subject_id, extract_key),
     KEY data_set_changes_by_since (tenant_id, extract_key, since)`,
  ),

  // The open job that fetches a subject's rows again. Changes to the same subject lock this row, so they run one by one.
  table(
    'data_change_jobs',
    `tenant_id ${tenant} NOT NULL, subject_id ${id} NOT NULL, job_id ${id} NULL, PRIMARY KEY (tenant_id, subject_id)`,
  ),

  // A subject whose visible rows changed during a refresh, so that the rows which the refresh fetched may be older.
  table(
    'data_set_touched',
    `tenant_id ${tenant} NOT NULL,
     extract_key ${key} NOT NULL,
     snapshot BIGINT UNSIGNED NOT NULL,     -- the number of the refresh
     subject_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, extract_key, snapshot, subject_id)`,
  ),
]
