// Tables for the users of the subject portal, and for the mails that invite them.
import { id, key, name, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const portal: MigrationStep[] = [
  // A person with access to a subject. The primary key allows one invitation for each person.
  table(
    'subject_access_users',
    `tenant_id ${tenant} NOT NULL,
     subject_id ${id} NOT NULL,
     holder ${key} NOT NULL,                -- the e-mail address in lower case; empty for the subject itself
     id ${id} NOT NULL,
     email ${name} NOT NULL,
     PRIMARY KEY (tenant_id, subject_id, holder),
     UNIQUE KEY subject_access_users_by_id (tenant_id, id)`,
  ),

  // A mail about an invitation, written in the transaction that invites.
  table(
    'portal_mails',
    `tenant_id ${tenant} NOT NULL,
     id ${id} NOT NULL,
     job_id ${id} NOT NULL,
     access_user_id ${id} NOT NULL,
     recipient ${key} NOT NULL,
     subject VARCHAR(512) NOT NULL,
     body LONGTEXT NOT NULL,
     state ${word} NOT NULL,                -- queued, sent, failed, kept, withdrawn
     reason ${word} NULL,                   -- why it is not sent
     attempts INT UNSIGNED NOT NULL DEFAULT 0,
     sent_at ${time} NULL,
     PRIMARY KEY (tenant_id, id),
     KEY portal_mails_by_job (tenant_id, job_id, state, attempts, id),
     KEY portal_mails_by_state (tenant_id, state, id),
     KEY portal_mails_by_access_user (tenant_id, access_user_id)`,
  ),
]
