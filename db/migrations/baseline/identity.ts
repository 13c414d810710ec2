// Tables for OAuth clients, for people who sign in, and for the keys that sign tokens.
import { flag, id, json, key, name, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const identity: MigrationStep[] = [
  // A program that may request tokens, with the scopes and permissions that its tenant grants it.
  table(
    'clients',
    `tenant_id ${tenant} NOT NULL,
     client_id ${key} NOT NULL,
     name ${name} NOT NULL,
     secret_hash VARCHAR(255) NOT NULL,
     old_secret_hash VARCHAR(255) NULL,     -- of the secret before, which works too until old_secret_until
     old_secret_until ${time} NULL,
     scopes ${json} NOT NULL,
     permissions ${json} NOT NULL,
     disabled ${flag} NOT NULL,
     updated_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, client_id),
     -- Unique in the whole installation: the token endpoint learns the tenant from it.
     UNIQUE KEY clients_by_id (client_id)`,
  ),

  // A person who signs in, with the roles that say what the person may do.
  table(
    'accounts',
    `tenant_id ${tenant} NOT NULL,
     account_id ${id} NOT NULL,               -- the sub of the person's tokens
     email ${key} NOT NULL,                 -- in lower case
     name ${name} NOT NULL,
     roles ${json} NOT NULL,                -- see runtime/secrets/roles.ts
     password_hash VARCHAR(255) NULL,       -- NULL until the person has chosen a password
     upstream_subject ${word} NULL,         -- SHA-256 of the other issuer with which the person signs in, and the sub there
     disabled ${flag} NOT NULL,
     token_version INT UNSIGNED NOT NULL DEFAULT 0, -- stands in tokens; those with an earlier one are refused
     created_at ${time} NOT NULL,
     updated_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, account_id),
     UNIQUE KEY accounts_by_email (tenant_id, email),
     UNIQUE KEY accounts_by_upstream (tenant_id, upstream_subject),
     -- Unique in the whole installation: a browser's session knows nothing but it.
     UNIQUE KEY accounts_by_id (account_id)`,
  ),

  // What a person proves besides the password: an authenticator app, a passkey, or one of the recovery codes. Who has a
  // row here has a second factor; the recovery codes come with the first one and go with the last.
  table(
    'second_factors',
    `tenant_id ${tenant} NOT NULL,
     account_id ${id} NOT NULL,
     factor_id ${id} NOT NULL,
     sealed_factor LONGTEXT NOT NULL,       -- see db/identity/second-factors.ts
     created_at ${time} NOT NULL,
     used_at ${time} NULL,                  -- when somebody last signed in with it
     PRIMARY KEY (tenant_id, account_id, factor_id)`,
  ),

  // What the identity service remembers while people sign in and are signed in: sessions, sign-ins under way, codes and
  // grants of oidc-provider. Ids are hashed and contents sealed, because whoever knows a session's id has the session.
  table(
    'oidc_records',
    `record_id ${word} NOT NULL,            -- SHA-256 of the kind of record and its id
     sealed_payload LONGTEXT NOT NULL,
     session_uid ${word} NULL,              -- SHA-256 of a session's second name, by which codes refer to it
     grant_id ${word} NULL,                 -- SHA-256 of the grant that a code belongs to
     account_id ${id} NULL,
     consumed_at ${time} NULL,              -- when a code was used; it is refused from then on
     expires_at ${time} NOT NULL,
     PRIMARY KEY (record_id),
     KEY oidc_records_by_session (session_uid),
     KEY oidc_records_by_grant (grant_id),
     KEY oidc_records_by_account (account_id),
     KEY oidc_records_by_end (expires_at)`,
  ),

  // A key pair that signs access tokens, for all tenants of the installation.
  table(
    'signing_keys',
    `kid ${word} NOT NULL,
     algorithm ${word} NOT NULL,
     sealed_private_jwk LONGTEXT NOT NULL,  -- encrypted for this kid, see runtime/secrets/seal.ts
     created_at ${time} NOT NULL,
     PRIMARY KEY (kid)`,
  ),
]
