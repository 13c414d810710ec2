// Pages of the remnants of words, compressed (decision record 0070).
import type { MigrationStep } from './step.js'

export const compressedRemnants: MigrationStep[] = [
  // A background run alone writes the table, and a search reads some rows of it. Readers and writers go on meanwhile.
  {
    name: '2026-11-compressed-remnants-subject_word_typos',
    up: 'ALTER TABLE subject_word_typos ROW_FORMAT=COMPRESSED, KEY_BLOCK_SIZE=8, ALGORITHM=INPLACE, LOCK=NONE',
  },
]
