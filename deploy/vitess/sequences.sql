-- The tables of the keyspace `armature` that the VSchema of `tenants` refers to. Create them before the first migration.

-- The numbers of new tenants, and of changes and events of the audit that have no position yet. In a running installation begin above the largest
-- number there is.
CREATE TABLE tenants_seq (id BIGINT NOT NULL PRIMARY KEY, next_id BIGINT NOT NULL, cache BIGINT NOT NULL) COMMENT 'vitess_sequence';
INSERT INTO tenants_seq (id, next_id, cache) VALUES (0, 1, 1);
CREATE TABLE events_unnumbered_seq (id BIGINT NOT NULL PRIMARY KEY, next_id BIGINT NOT NULL, cache BIGINT NOT NULL) COMMENT 'vitess_sequence';
INSERT INTO events_unnumbered_seq (id, next_id, cache) VALUES (0, 1, 1000);
CREATE TABLE audit_unsealed_seq (id BIGINT NOT NULL PRIMARY KEY, next_id BIGINT NOT NULL, cache BIGINT NOT NULL) COMMENT 'vitess_sequence';
INSERT INTO audit_unsealed_seq (id, next_id, cache) VALUES (0, 1, 1000);

-- On which shard a tenant's key, a client's id and an account's id are: they are unique in the whole installation.
CREATE TABLE tenants_by_key (tenant_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY, keyspace_id VARBINARY(8) NOT NULL);
CREATE TABLE clients_by_id (client_id VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY, keyspace_id VARBINARY(8) NOT NULL);
CREATE TABLE accounts_by_id (account_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, keyspace_id VARBINARY(8) NOT NULL);
