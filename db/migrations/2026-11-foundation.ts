// Tables of tenants, clients, hierarchy and jobs.
import { id, key, name, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-foundation')

export const foundation: MigrationStep[] = [
  table(
    'tenants',
    `id INT UNSIGNED NOT NULL AUTO_INCREMENT, tenant_key ${key} NOT NULL, name ${name} NOT NULL, limits LONGTEXT NOT NULL,
     updated_at DATETIME(3) NOT NULL, PRIMARY KEY (id), UNIQUE KEY tenants_by_key (tenant_key)`,
  ),
  // A client id is unique in the whole installation, because the token endpoint looks it up before it knows a tenant.
  table(
    'clients',
    `tenant_id INT UNSIGNED NOT NULL, client_id ${key} NOT NULL, name ${name} NOT NULL, secret_hash VARCHAR(255) NOT NULL,
     scopes LONGTEXT NOT NULL, permissions LONGTEXT NOT NULL, disabled TINYINT(1) NOT NULL DEFAULT 0, updated_at DATETIME(3) NOT NULL,
     PRIMARY KEY (tenant_id, client_id), UNIQUE KEY clients_by_id (client_id)`,
  ),
  table(
    'signing_keys',
    `kid ${word} NOT NULL, algorithm ${word} NOT NULL, sealed_private_jwk LONGTEXT NOT NULL, created_at DATETIME(3) NOT NULL, PRIMARY KEY (kid)`,
  ),
  // One row a tenant: the lock that writers of its hierarchy take in turn, and the number that tells whether a plan is still exact.
  table('hierarchies', `tenant_id INT UNSIGNED NOT NULL, version BIGINT UNSIGNED NOT NULL, PRIMARY KEY (tenant_id)`),
  table(
    'structure_types',
    `tenant_id INT UNSIGNED NOT NULL, type_key ${key} NOT NULL, name ${name} NOT NULL, subject_assignable TINYINT(1) NOT NULL,
     custom_fields LONGTEXT NOT NULL, PRIMARY KEY (tenant_id, type_key), KEY structure_types_by_name (tenant_id, name, type_key)`,
  ),
  table(
    'structural_entities',
    `tenant_id INT UNSIGNED NOT NULL, entity_key ${key} NOT NULL, display_name ${name} NOT NULL, parent_key ${key} NULL,
     depth INT UNSIGNED NOT NULL, type_key ${key} NOT NULL, custom_values LONGTEXT NULL,
     PRIMARY KEY (tenant_id, entity_key),
     KEY structural_entities_by_parent (tenant_id, parent_key, entity_key),
     KEY structural_entities_by_type (tenant_id, type_key, entity_key),
     KEY structural_entities_by_depth (tenant_id, depth, entity_key),
     KEY structural_entities_by_name (tenant_id, display_name, entity_key)`,
  ),
  table(
    'structure_groups',
    `tenant_id INT UNSIGNED NOT NULL, group_key ${key} NOT NULL, name ${name} NOT NULL, PRIMARY KEY (tenant_id, group_key),
     KEY structure_groups_by_name (tenant_id, name, group_key)`,
  ),
  table(
    'structure_group_entities',
    `tenant_id INT UNSIGNED NOT NULL, group_key ${key} NOT NULL, entity_key ${key} NOT NULL,
     PRIMARY KEY (tenant_id, group_key, entity_key), KEY structure_group_entities_by_entity (tenant_id, entity_key, group_key)`,
  ),
  // Which subjects are assigned where. Deleting an entity and SubjectAssignable look here.
  table(
    'subject_locations',
    `tenant_id INT UNSIGNED NOT NULL, entity_key ${key} NOT NULL, subject_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, entity_key, subject_id), KEY subject_locations_by_subject (tenant_id, subject_id, entity_key)`,
  ),
  table(
    'jobs',
    `tenant_id INT UNSIGNED NOT NULL, id ${id} NOT NULL, kind ${word} NOT NULL, status ${word} NOT NULL, queue ${word} NOT NULL,
     actor ${key} NOT NULL, workflow_id ${key} NOT NULL, trace_id ${word} NOT NULL,
     total INT UNSIGNED NOT NULL, done INT UNSIGNED NOT NULL DEFAULT 0, attempt INT UNSIGNED NOT NULL DEFAULT 1,
     plan_version BIGINT UNSIGNED NOT NULL DEFAULT 0, counts LONGTEXT NOT NULL, problem LONGTEXT NULL, idempotency_key ${key} NULL, request_hash ${word} NULL,
     accepted_at DATETIME(3) NOT NULL, started_at DATETIME(3) NULL, finished_at DATETIME(3) NULL,
     PRIMARY KEY (tenant_id, id), UNIQUE KEY jobs_by_idempotency_key (tenant_id, actor, idempotency_key),
     KEY jobs_by_status (tenant_id, status, accepted_at), KEY jobs_by_kind (tenant_id, kind, id)`,
  ),
  // The input of a job in the order it will be written, at most 1,000 items a row, as gzipped JSON.
  table(
    'job_chunks',
    `tenant_id INT UNSIGNED NOT NULL, job_id ${id} NOT NULL, first INT UNSIGNED NOT NULL, size INT UNSIGNED NOT NULL,
     items LONGBLOB NOT NULL, PRIMARY KEY (tenant_id, job_id, first)`,
  ),
  // A background worker says every 2 s that it is there; readiness and operators read it.
  table(
    'worker_heartbeats',
    `worker ${key} NOT NULL, queue ${word} NOT NULL, seen_at DATETIME(3) NOT NULL, PRIMARY KEY (worker, queue)`,
  ),
]
