// Tables for the endpoints of tenants and the providers that they call.
import { id, json, key, name, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const glue: MigrationStep[] = [
  // One row per tenant: the section `glue` of its manifest, without secrets.
  table('glue_settings', `tenant_id ${tenant} NOT NULL, settings ${json} NOT NULL, PRIMARY KEY (tenant_id)`),

  // A secret of the manifest. No endpoint returns it.
  table(
    'glue_secrets',
    `tenant_id ${tenant} NOT NULL,
     name ${key} NOT NULL,
     sealed_value LONGTEXT NOT NULL,        -- encrypted for this tenant and name, see runtime/secrets/seal.ts
     mark ${word} NOT NULL,                 -- tells whether two values are the same
     PRIMARY KEY (tenant_id, name)`,
  ),

  // A key for the header X-Api-Key of an endpoint.
  table(
    'glue_api_keys',
    `tenant_id ${tenant} NOT NULL,
     id ${id} NOT NULL,
     endpoint_key ${key} NOT NULL,
     name ${name} NOT NULL,
     key_hash ${word} NOT NULL,             -- a plain SHA-256 will do: keys are long and random
     created_by ${key} NOT NULL,
     created_at ${time} NOT NULL,
     expires_at ${time} NULL,
     revoked_at ${time} NULL,
     PRIMARY KEY (tenant_id, id),
     KEY glue_api_keys_by_endpoint (tenant_id, endpoint_key, id)`,
  ),

  // A provider as seen by one process: whether that process calls it at the moment or has paused because it fails.
  table(
    'glue_circuits',
    `tenant_id ${tenant} NOT NULL,
     provider_key ${key} NOT NULL,
     process ${key} NOT NULL,
     state ${word} NOT NULL,
     last_failure VARCHAR(255) NULL,
     changed_at ${time} NOT NULL,
     failing_since ${time} NULL,            -- since when the circuit is not closed
     PRIMARY KEY (tenant_id, provider_key, process)`,
  ),

  // Calls of endpoints that were answered with a problem: one row for each endpoint, code and hour, however many there were.
  table(
    'glue_failed_calls',
    `tenant_id ${tenant} NOT NULL,
     hour ${time} NOT NULL,
     endpoint_key ${key} NOT NULL,
     code ${word} NOT NULL,
     calls INT UNSIGNED NOT NULL,
     last_at ${time} NOT NULL,
     trace_id ${word} NOT NULL,             -- of the last one
     PRIMARY KEY (tenant_id, hour, endpoint_key, code)`,
  ),

  // A task queue of a provider with limits. Only one process polls it at a time, so that the limits hold. The row is deleted
  // when the queue has not been used for some minutes.
  table(
    'provider_queues',
    `queue VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- begins with the tenant's key
     used_at ${time} NOT NULL,
     process ${key} NULL,
     held_until ${time} NULL,               -- then another process may take the queue
     PRIMARY KEY (queue)`,
  ),
]
