// The feed of changes of subjects, and the changes that have no place in it yet.
import { id, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-subject-changes')

export const subjectChanges: MigrationStep[] = [
  // Written in the transaction of the change. The server gives the id, which is no place in the feed: a transaction with a smaller
  // id may commit later. An AUTO_INCREMENT needs an index that begins with it.
  table(
    'subject_changes_unnumbered',
    `tenant_id INT UNSIGNED NOT NULL, id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, subject_id ${id} NOT NULL, kind ${word} NOT NULL,
     changed_at DATETIME(3) NOT NULL, PRIMARY KEY (tenant_id, id), KEY subject_changes_unnumbered_by_id (id)`,
  ),
  table(
    'subject_changes',
    `tenant_id INT UNSIGNED NOT NULL, position BIGINT UNSIGNED NOT NULL, subject_id ${id} NOT NULL, kind ${word} NOT NULL,
     changed_at DATETIME(3) NOT NULL, numbered_at DATETIME(3) NOT NULL, PRIMARY KEY (tenant_id, position)`,
  ),
  // One row a tenant: the last position that was given, and the lock of who gives positions.
  table('subject_feeds', `tenant_id INT UNSIGNED NOT NULL, position BIGINT UNSIGNED NOT NULL, PRIMARY KEY (tenant_id)`),
]
