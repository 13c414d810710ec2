// Tables for jobs: work that was accepted, its input and its progress.
import { bytesOf, id, json, key, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const jobs: MigrationStep[] = [
  // A job. The row decides what state the job is in; a workflow run in Temporal carries it out.
  table(
    'jobs',
    `tenant_id ${tenant} NOT NULL,
     id ${id} NOT NULL,
     kind ${word} NOT NULL,                 -- one of the kinds in workflows/jobs/contracts.ts
     status ${word} NOT NULL,               -- Accepted, Running, Completed, Failed, Cancelled
     queue ${word} NOT NULL,                -- the task queue of its workflow
     actor ${key} NOT NULL,                 -- the client that asked for it
     workflow_id ${key} NOT NULL,
     run_id ${id} NULL,                     -- the run that does it: no other run may end it. NULL before one has begun
     attempt INT UNSIGNED NOT NULL DEFAULT 1,      -- a retry of the job begins the next one
     crashes TINYINT UNSIGNED NOT NULL DEFAULT 0,  -- attempts in a row whose worker died before it had written a step
     total INT UNSIGNED NOT NULL,           -- units of work that are expected
     done INT UNSIGNED NOT NULL DEFAULT 0,
     position ${key} NULL,                  -- where the next step begins, where done does not say it
     plan_version BIGINT UNSIGNED NOT NULL DEFAULT 0, -- the version of the hierarchy for which the plan is exact; 0 without a plan
     data_set ${key} NULL,                  -- the data set that it refreshes
     input ${json} NULL,                    -- what is to be done, where no other table has it
     counts ${json} NOT NULL,               -- how many units had which outcome
     problem ${json} NULL,                  -- why it failed
     waiting ${json} NULL,                  -- why its last attempt failed, since when it waits, and when it is tried again
     undone_by ${id} NULL,                  -- the job that reverses it
     cancelled_by ${key} NULL,              -- who has cancelled it last; NULL if an operator has, in Temporal
     retried_by ${key} NULL,                -- who has retried it last
     idempotency_key ${key} NULL,
     request_hash ${word} NULL,             -- tells whether a request with the same key is the same request
     trace_id ${word} NOT NULL,
     trace_parent CHAR(55) CHARACTER SET ascii COLLATE ascii_bin NULL, -- of the request: a run that begins later joins its trace
     accepted_at ${time} NOT NULL,
     started_at ${time} NULL,
     finished_at ${time} NULL,
     cancel_run_since ${time} NULL,         -- the job is cancelled, and Temporal has yet to be told to cancel its run
     deleted_at ${time} NULL,               -- its retention is over: it no longer exists for anybody, and its rows are being deleted
     ${bytesOf('input', 'counts', 'problem', 'waiting')},
     PRIMARY KEY (tenant_id, id),
     UNIQUE KEY jobs_by_idempotency_key (tenant_id, actor, idempotency_key),
     KEY jobs_by_status (tenant_id, status, accepted_at, deleted_at),
     KEY jobs_by_kind (tenant_id, kind, id),
     KEY jobs_by_data_set (tenant_id, data_set, id),
     -- List the jobs of all tenants, and count them without reading their rows. By status, also those that have no run, go on
     -- or are to be forgotten.
     KEY jobs_of_all (accepted_at, id, deleted_at),
     KEY jobs_of_all_by_status (status, accepted_at, id, kind, deleted_at),
     KEY jobs_of_all_by_kind (kind, accepted_at, id, status, deleted_at),
     -- Nearly all are null: the outbox looks for the few others every few seconds, and need not read all cancelled jobs.
     KEY jobs_to_cancel (cancel_run_since)`,
  ),

  // A chunk of a job's input: items in the order in which they are written.
  table(
    'job_chunks',
    `tenant_id ${tenant} NOT NULL,
     job_id ${id} NOT NULL,
     first INT UNSIGNED NOT NULL,           -- place of its first item in the whole input
     size INT UNSIGNED NOT NULL,
     items LONGBLOB NOT NULL,               -- gzipped JSON
     PRIMARY KEY (tenant_id, job_id, first)`,
  ),

  // The outcomes of a small bulk, for requests that repeat its Idempotency-Key. Deleted after two days.
  table(
    'idempotent_answers',
    `tenant_id ${tenant} NOT NULL,
     actor ${key} NOT NULL,                 -- the client that sent the request
     idempotency_key ${key} NOT NULL,
     request_hash ${word} NOT NULL,
     outcomes TEXT NOT NULL,                -- ids of what was written and what became of each; no value of a person
     created_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, actor, idempotency_key),
     KEY idempotent_answers_by_age (tenant_id, created_at)`,
  ),
]
