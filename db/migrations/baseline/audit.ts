// Tables of the audit: who did what in a tenant, in a chain of hashes (decision record 0084).
import { json, key, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

/** What an event says. It has ids and names of members, but no values of people. */
const event = `
     at ${time} NOT NULL,
     client ${key} NOT NULL,                -- or schedule, or anonymous for a page without sign-in
     person ${key} NULL,                    -- the token's subject, if the client acts for somebody
     address ${word} NULL,
     action ${word} NOT NULL,               -- the operation, as the API description names it
     kind ${word} NOT NULL,                 -- what the operation is about
     ids ${json} NOT NULL,                  -- of what was changed or read, and of the job that goes on with it
     outcome ${word} NOT NULL,
     trace_id ${word} NOT NULL,
     members ${json} NOT NULL,              -- names of the members that were sent
     details ${json} NULL,                  -- further members of the event`

export const audit: MigrationStep[] = [
  // An event without a position yet, written in the transaction that it tells of. As with changes of feeds, positions are
  // given after the commit, so that writers do not wait for each other.
  table(
    'audit_unsealed',
    `tenant_id ${tenant} NOT NULL,
     id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,${event}
     PRIMARY KEY (tenant_id, id),
     -- An AUTO_INCREMENT needs an index that begins with it.
     KEY audit_unsealed_by_id (id)`,
  ),

  // An event at its position in the chain. Its hash covers the event, its position and the hash of the event before.
  table(
    'audit_events',
    `tenant_id ${tenant} NOT NULL,         -- 0 for what belongs to the installation
     position BIGINT UNSIGNED NOT NULL,${event}
     previous_hash ${word} NOT NULL,
     hash ${word} NOT NULL,
     PRIMARY KEY (tenant_id, position),
     KEY audit_events_by_time (tenant_id, at),
     KEY audit_events_by_client (tenant_id, client, position),
     KEY audit_events_by_person (tenant_id, person, position),
     KEY audit_events_by_action (tenant_id, action, position)`,
  ),

  // The ids of the events, to find by.
  table(
    'audit_ids',
    `tenant_id ${tenant} NOT NULL,
     id ${key} NOT NULL,
     position BIGINT UNSIGNED NOT NULL,
     PRIMARY KEY (tenant_id, id, position),
     KEY audit_ids_by_position (tenant_id, position)`,
  ),

  // The end of a tenant's chain. Whoever appends to it locks the row.
  table(
    'audit_chains',
    `tenant_id ${tenant} NOT NULL,
     position BIGINT UNSIGNED NOT NULL,
     hash ${word} NOT NULL,
     forgotten BIGINT UNSIGNED NOT NULL,    -- the last position that retention has deleted
     PRIMARY KEY (tenant_id)`,
  ),
]
