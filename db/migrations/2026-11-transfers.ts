// Columns and tables of subject transfers.
import type { MigrationStep } from './step.js'

export const transfers: MigrationStep[] = [
  // Since when a skipped subject was at the destination: who was assigned there again since has another time.
  {
    name: '2026-11-transfers-skips-assigned',
    up: 'ALTER TABLE subject_transfer_skips ADD COLUMN assigned_at DATETIME(3) NOT NULL',
  },
]
