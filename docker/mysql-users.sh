#!/bin/sh
# Runs once, when MySQL's data volume is new: gives Temporal an account of its own, which sees its two databases alone.
# Armature's account and database are made by the image itself (MYSQL_USER, MYSQL_DATABASE).
set -eu

MYSQL_PWD="$MYSQL_ROOT_PASSWORD" mysql --user=root <<SQL
CREATE USER IF NOT EXISTS 'temporal'@'%' IDENTIFIED BY '$TEMPORAL_DB_PASSWORD';
GRANT ALL PRIVILEGES ON temporal.* TO 'temporal'@'%';
GRANT ALL PRIVILEGES ON temporal_visibility.* TO 'temporal'@'%';
SQL
