// Measures upserts of subjects against bare SQL.
import { createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import { hashesOf, matchingHashes, toBytes } from '../db/frame/fields/matching.js'
import { idBytes } from '../db/frame/search/id-bytes.js'
import { isOfLetters, wordsOf } from '../db/frame/search/search-words.js'
import { newId } from '../runtime/ids.js'
import { people, type SeededClient } from '../test/support/seeded-tenant.js'
import { median } from './measure.js'

export interface UpsertFigures {
  /** Median ms of creating a subject by HTTP, and by bare SQL. */
  single: number
  floor: number
  /** Median ms of a bulk of 20 new subjects. */
  bulk: number
}

/**
 * Measures upserts into a tenant that is already large: one by one, in bulk, and by hand in a transaction each.
 * @param first number of the first of these people, who must be new.
 */
export async function measureUpserts(
  databaseUrl: string,
  tenant: SeededClient,
  calls: number,
  first = 50_000_000,
): Promise<UpsertFigures> {
  const person = people(7)
  let n = first
  const [entityKey = ''] = tenant.entityKeys
  const body = () => {
    const values = Object.entries(person(n++)).map(([Key, value]) => ({ Key, Value: input(value) }))
    return { CustomFieldValues: values, StructuralEntityKeys: [entityKey] }
  }
  const send = async (path: string, given: object) => {
    const started = performance.now()
    const { status, body: answer } = await tenant.post(path, given)
    if (status >= 300) throw new Error(`${status}: ${JSON.stringify(answer)}`)
    return performance.now() - started
  }
  const byHand = await handWritten(databaseUrl, tenant.tenantId, entityKey)
  const times = { single: [] as number[], floor: [] as number[], bulk: [] as number[] }
  const warm = 20
  for (let call = -warm; call < calls; call++) {
    const single = await send('/api/v2/subject', body())
    const floor = await byHand.insert(person(n++))
    const bulk = call % 5 === 0 ? await send('/api/v2/subject/bulk', Array.from({ length: 20 }, body)) : undefined
    if (call < 0) continue
    times.single.push(single)
    times.floor.push(floor)
    if (bulk !== undefined) times.bulk.push(bulk)
  }
  await byHand.stop()
  return { single: median(times.single), floor: median(times.floor), bulk: median(times.bulk) }
}

type Values = ReturnType<ReturnType<typeof people>>

function input(value: Values[string]): object {
  if (Array.isArray(value[0])) return (value as [string, string][]).map(one)
  return one(value as [string, string])
}

function one([dataType, text]: [string, string]): object {
  if (dataType === 'Boolean') return { Boolean: { Value: text === 'true' } }
  return { [dataType]: { Value: dataType === 'Decimal' ? Number(text) : text } }
}

/** The table of subjects with its columns, but for `bytes`, which the database makes. */
export const subjectsTable =
  'subjects (tenant_id, id, external_id, custom_values, created_at, updated_at, deactivated_at)'

/**
 * Prepares the handwritten creation of a subject in one transaction, with nothing but what must be locked, looked up
 * and written.
 */
async function handWritten(databaseUrl: string, tenantId: number, entityKey: string) {
  const connection = await createConnection({ uri: databaseUrl, charset: 'utf8mb4' })
  const insert = (table: string, rows: unknown[][]) =>
    connection.query<ResultSetHeader>(`INSERT INTO ${table} VALUES ?`, [rows])
  const select = (sql: string, values: unknown[]) => connection.query<RowDataPacket[]>(sql, values)
  return {
    async insert(values: Values): Promise<number> {
      const id = newId()
      const now = new Date()
      const words = wordsOf(values)
      const letters = words.filter(isOfLetters)
      const { together = '', each: [each = ''] = [] } = matchingHashes(['nationalId'], values) ?? {}
      const started = performance.now()
      await connection.beginTransaction()
      await select('SELECT settings FROM subject_settings WHERE tenant_id = ? LOCK IN SHARE MODE', [tenantId])
      await insert('subject_matching_keys', [[tenantId, toBytes(together)]])
      const match = 'SELECT subject_id FROM subject_values WHERE tenant_id = ? AND value_hash = ? LIMIT 2'
      const [found] = await select(match, [tenantId, toBytes(each)])
      if (found.length > 0) throw new Error('It is there already')
      await select(
        `SELECT e.entity_key, t.subject_assignable FROM structural_entities e JOIN structure_types t USING (tenant_id, type_key)
         WHERE e.tenant_id = ? AND e.entity_key = ? LOCK IN SHARE MODE`,
        [tenantId, entityKey],
      )
      await insert(subjectsTable, [[tenantId, id, newId(), JSON.stringify(values), now, now, null]])
      await insert(
        'subject_values',
        hashesOf(values).map(hash => [tenantId, toBytes(hash), id]),
      )
      await insert('subject_locations', [[tenantId, entityKey, id, now, null]])
      await insert(
        'subjects_by_word',
        words.map(word => [tenantId, word, idBytes(id)]),
      )
      await insert('words_by_subject', [[tenantId, idBytes(id), words.join(',')]])
      const known = "SELECT word FROM subject_word_typos WHERE tenant_id = ? AND remnant = '' AND word IN (?)"
      await select(known, [tenantId, letters])
      await connection.commit()
      return performance.now() - started
    },
    stop: () => connection.end(),
  }
}
