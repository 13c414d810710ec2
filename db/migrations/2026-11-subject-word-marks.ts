// Marks of words that the search has still to learn.
import { searchWord } from './2026-11-subject-search.js'
import { id, table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const group = '2026-11-subject-word-marks'
const table = tableOf(group)

export const subjectWordMarks: MigrationStep[] = [
  // A word that came to a tenant or left a subject, until its remnants agree with the subjects that have it (see learnt-words.ts).
  table(
    'subject_word_marks',
    `tenant_id INT UNSIGNED NOT NULL, id ${id} NOT NULL, word ${searchWord} NOT NULL, PRIMARY KEY (tenant_id, id)`,
  ),
  // Until now the remnants of a word stayed when its last subject went.
  {
    name: `${group}-remnants-of-nobody`,
    up: `INSERT INTO subject_word_marks (tenant_id, id, word)
     SELECT t.tenant_id, UUID(), t.word
     FROM tenants n STRAIGHT_JOIN subject_word_typos t ON t.tenant_id = n.id AND t.remnant = ''
     WHERE NOT EXISTS (SELECT 1 FROM subject_words w WHERE w.tenant_id = t.tenant_id AND w.word = t.word)`,
  },
]
