// Tables of the word index of the subject search.
import { id, table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-subject-search')

/** Cut to 64 characters (see search-words.ts); compared exactly, for they are folded already. */
export const searchWord = 'VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'

export const subjectSearch: MigrationStep[] = [
  // The words of a subject. One index finds the subjects of a word; the other tells what else such a subject is called.
  table(
    'subject_words',
    `tenant_id INT UNSIGNED NOT NULL, subject_id ${id} NOT NULL, word ${searchWord} NOT NULL,
     PRIMARY KEY (tenant_id, subject_id, word), KEY subject_words_by_word (tenant_id, word, subject_id)`,
  ),
  // Every word of letters of a subject, now or before, under its remnants: its first seven letters with one or two left
  // out. A mistyped twin shares some of them (see typos.ts).
  table(
    'subject_word_typos',
    `tenant_id INT UNSIGNED NOT NULL, remnant VARCHAR(7) NOT NULL, word ${searchWord} NOT NULL,
     PRIMARY KEY (tenant_id, remnant, word)`,
  ),
]
