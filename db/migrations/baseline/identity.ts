// Tables for OAuth clients, and for the keys that sign tokens.
import { flag, json, key, name, tablesOf, tenant, time, word } from '../columns.js'
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
     scopes ${json} NOT NULL,
     permissions ${json} NOT NULL,
     disabled ${flag} NOT NULL,
     updated_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, client_id),
     -- Unique in the whole installation: the token endpoint learns the tenant from it.
     UNIQUE KEY clients_by_id (client_id)`,
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
