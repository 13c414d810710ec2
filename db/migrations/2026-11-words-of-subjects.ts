// The word index in half the bytes: two tables take the place of `subject_words` (decision record 0070).
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { sqlBytes } from '../frame/search/id-bytes.js'
import { insertFrom } from '../rows.js'
import { searchWord } from './2026-11-subject-search.js'
import { table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-words-of-subjects')

/** Ids as their 16 bytes: eleven rows of a subject have one each. */
const idBytes = 'BINARY(16)'

/** Version 0.1.0, beside 0.2.0, took words away from `subject_words` alone: what is there already may be of before that. */
const emptied = (table: string): MigrationStep => ({
  name: `2026-11-words-of-subjects-empty-${table}`,
  up: `TRUNCATE TABLE ${table}`,
  firstReadBy: '0.3.0',
})

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
  emptied('subjects_by_word'),
  emptied('words_by_subject'),
  { name: '2026-11-words-of-subjects-fill', batch: fill, firstReadBy: '0.3.0' },
  // Version 0.3.0 writes the table as long as it is there.
  { name: '2026-11-words-of-subjects-old', up: 'DROP TABLE IF EXISTS subject_words', lastUsedBy: '0.2.0' },
]

/** Subjects of one batch, whose writers wait for it. */
const perBatch = 2_000

type Place = [tenant: TenantId, after: string]

/** Locks the rows that it copies: version 0.2.0 writes them first, and then those that are filled here. */
async function fill(trx: Knex.Transaction, from: string | undefined): Promise<string | undefined> {
  const [tenant, after]: Place = from === undefined ? [0, ''] : JSON.parse(from)
  const words = () => trx('subject_words').where({ tenant_id: tenant }).where('subject_id', '>', after)
  const ids: string[] = await words().distinct('subject_id').orderBy('subject_id').limit(perBatch).pluck('subject_id')
  const last = ids.at(-1)
  if (last === undefined) {
    const next = await trx('tenants').where('id', '>', tenant).orderBy('id').first('id')
    return next && place(next.id, '')
  }
  const some = () => words().where('subject_id', '<=', last).forShare()
  const id = trx.raw(sqlBytes('subject_id'))
  const key = ['tenant_id', 'word', 'subject_id']
  await insertFrom(trx, 'subjects_by_word', key, some().select('tenant_id', 'word', id).orderBy(key))
  // A list may have more than the 1 KB of MySQL's default.
  await trx.raw('SET SESSION group_concat_max_len = 16777215')
  const lists = some().select('tenant_id', id, trx.raw("GROUP_CONCAT(word ORDER BY word SEPARATOR ',')"))
  await insertFrom(
    trx,
    'words_by_subject',
    ['tenant_id', 'subject_id', 'words'],
    lists.groupBy('tenant_id', 'subject_id'),
  )
  return place(tenant, last)
}

const place = (...parts: Place): string => JSON.stringify(parts)
