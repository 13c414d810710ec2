// Tables for structural entities, their types and groups.
import { bytesOf, flag, json, key, name, tablesOf, tenant, time } from '../columns.js'
import type { MigrationStep } from '../step.js'
import { orderValues } from './field-orders.js'

const table = tablesOf('baseline')

export const hierarchy: MigrationStep[] = [
  // One row per tenant. Writers of entities lock the row, one after the other, and increment the version.
  table(
    'hierarchies',
    `tenant_id ${tenant} NOT NULL,
     version BIGINT UNSIGNED NOT NULL,      -- tells whether a plan that was made before is still exact
     orders ${json} NOT NULL,               -- the field orders that writers of entities maintain
     PRIMARY KEY (tenant_id)`,
  ),

  // A kind of entity, such as a ward, with the custom fields that such entities have.
  table(
    'structure_types',
    `tenant_id ${tenant} NOT NULL,
     type_key ${key} NOT NULL,
     name ${name} NOT NULL,
     subject_assignable ${flag} NOT NULL,   -- whether subjects may be assigned to entities of the type
     custom_fields ${json} NOT NULL,
     ${bytesOf('custom_fields')},
     PRIMARY KEY (tenant_id, type_key),
     KEY structure_types_by_name (tenant_id, name, type_key)`,
  ),

  // A place in the hierarchy: a hospital, a ward, a bed.
  table(
    'structural_entities',
    `tenant_id ${tenant} NOT NULL,
     entity_key ${key} NOT NULL,
     display_name ${name} NOT NULL,
     parent_key ${key} NULL,                -- NULL for a root
     depth INT UNSIGNED NOT NULL,           -- 1 for a root
     type_key ${key} NOT NULL,
     custom_values ${json} NULL,            -- in the form of subjects.custom_values; NULL without any
     updated_at ${time} NOT NULL,
     ${bytesOf('custom_values')},
     PRIMARY KEY (tenant_id, entity_key),
     KEY structural_entities_by_parent (tenant_id, parent_key, entity_key),
     KEY structural_entities_by_type (tenant_id, type_key, entity_key),
     KEY structural_entities_by_depth (tenant_id, depth, entity_key),
     KEY structural_entities_by_name (tenant_id, display_name, entity_key),
     KEY structural_entities_by_update (tenant_id, updated_at, entity_key)`,
  ),

  // The places of entities in the orders by custom fields.
  orderValues('entity', key),

  // A set of entities, through which users get access to subjects.
  table(
    'structure_groups',
    `tenant_id ${tenant} NOT NULL,
     group_key ${key} NOT NULL,
     name ${name} NOT NULL,
     bytes INT UNSIGNED NOT NULL,           -- of the keys of its entities when it was written
     PRIMARY KEY (tenant_id, group_key),
     KEY structure_groups_by_name (tenant_id, name, group_key)`,
  ),

  // An entity in a group.
  table(
    'structure_group_entities',
    `tenant_id ${tenant} NOT NULL,
     group_key ${key} NOT NULL,
     entity_key ${key} NOT NULL,
     PRIMARY KEY (tenant_id, group_key, entity_key),
     KEY structure_group_entities_by_entity (tenant_id, entity_key, group_key)`,
  ),
]
