// The index of words by which subjects are searched for (decision record 0070).
import { id, tablesOf, tenant } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

/** A word in lower case and without accents, cut to 64 characters. */
const searchWord = 'VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'
/** A subject's id as its 16 bytes, because a subject has a dozen rows here. */
const idBytes = 'BINARY(16)'

export const search: MigrationStep[] = [
  // A word that a subject has in its values.
  table(
    'subjects_by_word',
    `tenant_id ${tenant} NOT NULL,
     word ${searchWord} NOT NULL,
     subject_id ${idBytes} NOT NULL,
     PRIMARY KEY (tenant_id, word, subject_id)`,
  ),

  // All words of a subject, by which a search of several words checks those that it has found by one.
  table(
    'words_by_subject',
    `tenant_id ${tenant} NOT NULL,
     subject_id ${idBytes} NOT NULL,
     words MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, -- up to 200, with commas
     PRIMARY KEY (tenant_id, subject_id)`,
  ),

  // A word under one of its remnants: its first seven letters with one or two left out. A mistyped word shares some of them.
  // Only a background run writes the table and searches read a few rows, so its pages are compressed.
  table(
    'subject_word_typos',
    `tenant_id ${tenant} NOT NULL,
     remnant VARCHAR(7) NOT NULL,
     word ${searchWord} NOT NULL,
     PRIMARY KEY (tenant_id, remnant, word)`,
    'ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8',
  ),

  // A word that came to the tenant or left a subject. The background run that updates its remnants deletes the row.
  table(
    'subject_word_marks',
    `tenant_id ${tenant} NOT NULL, id ${id} NOT NULL, word ${searchWord} NOT NULL, PRIMARY KEY (tenant_id, id)`,
  ),
]
