// Tables of the subject portal and its mails.
import { id, key, name, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-portal')

export const portal: MigrationStep[] = [
  // Persons with access to a subject in the portal. `holder` is the e-mail in lower case, or empty for the subject
  // itself. The key allows one invitation for each person.
  table(
    'subject_access_users',
    `tenant_id INT UNSIGNED NOT NULL, subject_id ${id} NOT NULL, holder ${key} NOT NULL, id ${id} NOT NULL, email ${name} NOT NULL,
     PRIMARY KEY (tenant_id, subject_id, holder), UNIQUE KEY subject_access_users_by_id (tenant_id, id)`,
  ),
  // Mails to be sent, written with the invitations that they tell of.
  table(
    'portal_mails',
    `tenant_id INT UNSIGNED NOT NULL, id ${id} NOT NULL, job_id ${id} NOT NULL, access_user_id ${id} NOT NULL,
     recipient ${key} NOT NULL, subject VARCHAR(512) NOT NULL, body LONGTEXT NOT NULL, state ${word} NOT NULL, reason ${word} NULL,
     attempts INT UNSIGNED NOT NULL DEFAULT 0, sent_at DATETIME(3) NULL,
     PRIMARY KEY (tenant_id, id), KEY portal_mails_by_job (tenant_id, job_id, state, attempts, id),
     KEY portal_mails_by_state (tenant_id, state, id), KEY portal_mails_by_access_user (tenant_id, access_user_id)`,
  ),
]
