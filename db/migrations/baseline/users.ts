// Tables for users, the people who work with subjects.
import { flag, key, name, tablesOf, tenant } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const users: MigrationStep[] = [
  // A user of the tenant's manifest.
  table(
    'users',
    `tenant_id ${tenant} NOT NULL,
     user_id ${key} NOT NULL,
     display_name ${name} NOT NULL,
     active ${flag} NOT NULL,
     PRIMARY KEY (tenant_id, user_id),
     KEY users_by_name (tenant_id, display_name, user_id)`,
  ),

  // A user's membership in a group of entities.
  table(
    'user_groups',
    `tenant_id ${tenant} NOT NULL,
     user_id ${key} NOT NULL,
     group_key ${key} NOT NULL,
     PRIMARY KEY (tenant_id, user_id, group_key),
     KEY user_groups_by_group (tenant_id, group_key, user_id)`,
  ),
]
