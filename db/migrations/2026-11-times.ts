// Times of day in their one stored form.
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import {
  heldIn,
  isList,
  keptTime,
  listOf,
  type StoredValue,
  type StoredValues,
} from '../frame/subjects/custom-fields.js'
import { writeValues } from '../frame/subjects/subjects.js'
import { upsertRows } from '../rows.js'
import { noteDuplicates } from './2026-11-matching.js'
import type { MigrationStep } from './step.js'

/** Times were once taken with a zone and in any spelling, each another value: they get the spelling in which they are kept now. */
export const times: MigrationStep[] = [{ name: '2026-11-times-kept', batch: keepTimes }]

/** Rows of one batch, which its transaction has in memory. */
const perBatch = 500

type Place = [table: 'subjects' | 'structural_entities', tenant: TenantId, after: string]

async function keepTimes(trx: Knex.Transaction, from: string | undefined): Promise<string | undefined> {
  const [table, tenant, after]: Place = from === undefined ? ['subjects', 0, ''] : JSON.parse(from)
  const key = table === 'subjects' ? 'id' : 'entity_key'
  const keys: string[] = await trx(table)
    .where({ tenant_id: tenant })
    .where(key, '>', after)
    .where('custom_values', 'like', '%["Time","%')
    .orderBy(key)
    .limit(perBatch)
    .pluck(key)
  const last = keys.at(-1)
  if (last !== undefined) {
    await (table === 'subjects' ? keepOfSubjects : keepOfEntities)(trx, tenant, keys)
    return place(table, tenant, last)
  }
  if (table === 'subjects') return place('structural_entities', tenant, '')
  const next = await trx('tenants').where('id', '>', tenant).orderBy('id').first('id')
  return next && place('subjects', next.id, '')
}

const place = (...parts: Place): string => JSON.stringify(parts)

async function keepOfSubjects(trx: Knex.Transaction, tenant: TenantId, ids: readonly string[]): Promise<void> {
  // By its own statement: the columns that subjects got later are not there yet.
  const rows: { id: string; external_id: string; custom_values: string }[] = await trx('subjects')
    .where({ tenant_id: tenant })
    .whereIn('id', [...ids])
    .forUpdate()
    .select('id', 'external_id', 'custom_values')
  const changed = rows.flatMap(({ id, external_id: externalId, custom_values }) => {
    const before: StoredValues = JSON.parse(custom_values)
    const after = kept(before)
    return after ? [{ id, externalId, before, after }] : []
  })
  if (changed.length === 0) return
  await writeValues(trx, tenant, changed)
  const written = changed.map(({ id, after }) => ({ id, values: after }))
  await noteDuplicates(trx, tenant, written, (values, key) => listOf(heldIn(values, key) ?? []).some(isTimeValue))
}

async function keepOfEntities(trx: Knex.Transaction, tenant: TenantId, keys: readonly string[]): Promise<void> {
  const columns = ['tenant_id', 'entity_key', 'display_name', 'depth', 'type_key', 'custom_values']
  const rows: Record<string, string | number>[] = await trx('structural_entities')
    .where({ tenant_id: tenant })
    .whereIn('entity_key', [...keys])
    .forUpdate()
    .select(columns)
  const changed = rows.flatMap(({ custom_values, ...row }) => {
    const after = kept(JSON.parse(String(custom_values)))
    return after ? [columns.map(name => row[name] ?? JSON.stringify(after))] : []
  })
  await upsertRows(trx, 'structural_entities', columns, changed, ['custom_values'])
}

const isTimeValue = ([dataType]: StoredValue): boolean => dataType === 'Time'

/** The values with every time in its kept spelling; undefined where each has it already. */
function kept(values: StoredValues): StoredValues | undefined {
  let isChanged = false
  const keptValue = ([dataType, text]: StoredValue): StoredValue => {
    const same = isTimeValue([dataType, text]) ? keptTime(text) : text
    isChanged ||= same !== text
    return [dataType, same]
  }
  const after: StoredValues = Object.assign(Object.create(null), values)
  for (const [key, value] of Object.entries(values)) {
    after[key] = isList(value) ? value.map(keptValue) : keptValue(value)
  }
  return isChanged ? after : undefined
}
