// The time of the last write, by which subjects and structural entities are listed.
import type { MigrationStep } from './step.js'

export const updatedAt: MigrationStep[] = [
  {
    name: '2026-11-updated-at-entities',
    up: `ALTER TABLE structural_entities ADD COLUMN updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)`,
  },
  {
    name: '2026-11-updated-at-entities-index',
    up: 'ALTER TABLE structural_entities ADD KEY structural_entities_by_update (tenant_id, updated_at, entity_key)',
  },
  {
    name: '2026-11-updated-at-subjects-index',
    up: 'ALTER TABLE subjects ADD KEY subjects_by_update (tenant_id, updated_at, id)',
  },
]
