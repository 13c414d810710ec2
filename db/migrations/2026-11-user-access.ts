// Which subjects a group gives its users access to.
import { word } from './columns.js'
import type { MigrationStep } from './step.js'

export const userAccess: MigrationStep[] = [
  // Which subjects a user has access to by a group: see `UserAccess`.
  {
    name: '2026-11-user-access',
    up: `ALTER TABLE tenants ADD COLUMN user_access ${word} NOT NULL DEFAULT 'direct'`,
  },
]
