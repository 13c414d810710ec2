// The word index in half the bytes (decision record 0070): it takes the place of `subject_words`.
import { searchWord } from './2026-11-subject-search.js'
import { table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-words-of-subjects')

/** Ids as their 16 bytes: eleven rows of a subject have one each. */
const idBytes = 'BINARY(16)'

export const wordsOfSubjects: MigrationStep[] = [
  table(
    'subjects_by_word',
    `tenant_id INT UNSIGNED NOT NULL, word ${searchWord} NOT NULL, subject_id ${idBytes} NOT NULL,
     PRIMARY KEY (tenant_id, word, subject_id)`,
  ),
  // All words of a subject, with commas. A subject of before 2026-11-20 may have 36 KB of them.
  table(
    'words_by_subject',
    `tenant_id INT UNSIGNED NOT NULL, subject_id ${idBytes} NOT NULL,
     words MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, PRIMARY KEY (tenant_id, subject_id)`,
  ),
]
