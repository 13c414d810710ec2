// Tables of the word index that searches for subjects use (decision record 0007).
import { id, tablesOf, tenant } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

/** A word in lower case and without accents, cut to 64 characters. */
const searchWord = 'VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'
/** A subject's id as 16 bytes. With about a dozen rows per subject, the 36 characters of the text form would cost too much. */
const idBytes = 'BINARY(16)'

export const search: MigrationStep[] = [
  // A word that occurs in a subject's values.
  table(
    'subjects_by_word',
    `tenant_id ${tenant} NOT NULL,
     word ${searchWord} NOT NULL,
     subject_id ${idBytes} NOT NULL,
     PRIMARY KEY (tenant_id, word, subject_id)`,
  ),

  // All words of a subject. A search for several words finds subjects by one of them and checks the others here.
  table(
    'words_by_subject',
    `tenant_id ${tenant} NOT NULL,
     subject_id ${idBytes} NOT NULL,
     words MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, -- up to 200, with commas
     PRIMARY KEY (tenant_id, subject_id)`,
  ),

  // A word under each of its remnants: its first seven letters with one or two left out. A mistyped word still shares some
  // remnants with the right one. Only a background run writes the table, and a search reads a few rows, so compression pays.
  table(
    'subject_word_typos',
    `tenant_id ${tenant} NOT NULL,
     remnant VARCHAR(7) NOT NULL,
     word ${searchWord} NOT NULL,
     PRIMARY KEY (tenant_id, remnant, word)`,
    'ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8',
  ),

  // A word that is new to the tenant, or that a subject lost. The background run deletes the row when it has updated the
  // word's remnants.
  table(
    'subject_word_marks',
    `tenant_id ${tenant} NOT NULL, id ${id} NOT NULL, word ${searchWord} NOT NULL, PRIMARY KEY (tenant_id, id)`,
  ),
]
