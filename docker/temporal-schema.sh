#!/bin/sh
# Creates Temporal's two databases and brings their schema to the version of this image. Every step may be repeated:
# a database that is up to date stays as it is, so the job runs at each start and upgrades after a new image.
# The connection comes from SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD and SQL_PLUGIN.
set -eu

schemas=${TEMPORAL_SCHEMA_DIR:-/etc/temporal/schema/mysql/v8}

prepare() {
  SQL_DATABASE=$1 temporal-sql-tool create
  SQL_DATABASE=$1 temporal-sql-tool setup-schema --version 0.0
  SQL_DATABASE=$1 temporal-sql-tool update-schema --schema-dir "$schemas/$2/versioned"
}

prepare temporal temporal
prepare temporal_visibility visibility
