// Tables for tenants, and for what the processes of an installation tell each other.
import { id, json, key, name, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const platform: MigrationStep[] = [
  // An organisation on the platform, with the parts of its manifest that have no table of their own.
  table(
    'tenants',
    `id ${tenant} NOT NULL AUTO_INCREMENT, -- the tenant_id of all other tables
     tenant_key ${key} NOT NULL,
     name ${name} NOT NULL,
     user_access ${word} NOT NULL,          -- direct, descendants: which subjects a group gives its users access to
     limits ${json} NOT NULL,               -- the section limits of the manifest
     entity_settings ${json} NOT NULL,      -- the section structuralEntities of the manifest
     created_at ${time} NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
     updated_at ${time} NOT NULL,
     suspended_at ${time} NULL,             -- since when its callers are refused and its work waits
     deletion_job_id ${id} NULL,            -- the job, of another tenant, that deletes it: nobody finds it any more
     PRIMARY KEY (id),
     UNIQUE KEY tenants_by_key (tenant_key)`,
  ),

  // A process that polls a Temporal task queue. It updates its row every two seconds, for readiness checks and operators.
  table(
    'worker_heartbeats',
    `worker ${key} NOT NULL,                -- the name of the process
     queue ${word} NOT NULL,
     build ${word} NOT NULL,                -- empty where its runs are not versioned
     seen_at ${time} NOT NULL,
     PRIMARY KEY (worker, queue)`,
  ),

  // A single row that is updated on the primary and replicated, so that a reader can tell how far a replica lags behind.
  table('replica_heartbeats', `id TINYINT UNSIGNED NOT NULL, beat_at ${time} NOT NULL, PRIMARY KEY (id)`),

  // How many requests or failed sign-ins a caller had in the current window, over all API processes.
  table(
    'rate_counts',
    `name BINARY(32) NOT NULL,              -- hash of the limit and the caller, so that no address is stored
     points INT UNSIGNED NOT NULL,
     ends_at ${time} NOT NULL,              -- end of the window
     PRIMARY KEY (name),
     KEY rate_counts_by_end (ends_at)`,
  ),
]
