// Tables of imports of structural entities.
import { id, key, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-entity-imports')

export const entityImports: MigrationStep[] = [
  // Rows of an upload by their keys, with the entities above them (state `above`, no row). `depth` orders parents before
  // children: 0 is not known yet, below 0 is below a refused row. `content` is the row as it came. They go with the upload.
  table(
    'import_entities',
    `tenant_id INT UNSIGNED NOT NULL, file_id ${id} NOT NULL, entity_key ${key} NOT NULL, parent_key ${key} NULL,
     depth INT NOT NULL, row_no INT UNSIGNED NOT NULL, state ${word} NOT NULL, content MEDIUMBLOB NULL,
     PRIMARY KEY (tenant_id, file_id, entity_key),
     KEY import_entities_by_parent (tenant_id, file_id, parent_key, entity_key),
     KEY import_entities_by_depth (tenant_id, file_id, depth, entity_key)`,
  ),
  {
    name: '2026-11-entity-imports-settings',
    up: 'ALTER TABLE tenants ADD COLUMN entity_settings LONGTEXT NULL',
  },
]
