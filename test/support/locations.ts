// Many assignments of subjects, written straight to the database.
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { insertFrom } from '../../db/rows.js'

/** Which of the numbered subjects: `count` from the number `from`. */
export interface Numbers {
  from?: number
  count: number
}

/** The id of a numbered subject. Ids follow the order of the numbers. */
export const subjectId = (n: number): string => `01930000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** The ids of numbered subjects, in their order. */
export const subjectIds = ({ from = 0, count }: Numbers): string[] =>
  Array.from({ length: count }, (_, n) => subjectId(from + n))

/** Numbered subjects without values, straight in the database, a million in a few seconds. */
export async function seedSubjects(db: Knex, tenantKey: string, numbers: Numbers): Promise<void> {
  const tenant = await tenantIdOf(db, tenantKey)
  const columns = ['tenant_id', 'id', 'external_id', 'custom_values', 'created_at', 'updated_at']
  await inSteps(numbers, step =>
    insertFrom(db, 'subjects', columns, numbered(db, step).select(db.raw(`?, id, id, '{}', NOW(3), NOW(3)`, [tenant]))),
  )
}

/** Assigns numbered subjects to an entity, straight in the database. */
export async function seedLocations(db: Knex, tenantKey: string, entityKey: string, numbers: Numbers): Promise<void> {
  const tenant = await tenantIdOf(db, tenantKey)
  const columns = ['tenant_id', 'entity_key', 'subject_id']
  await inSteps(numbers, step =>
    insertFrom(db, 'subject_locations', columns, numbered(db, step).select(db.raw('?, ?, id', [tenant, entityKey]))),
  )
}

const step = 50_000

async function inSteps({ from = 0, count }: Numbers, insert: (step: Required<Numbers>) => Promise<number>) {
  for (let done = 0; done < count; done += step) {
    await insert({ from: from + done, count: Math.min(step, count - done) })
  }
}

/** A table of ids, counted up by the digits of their numbers. */
function numbered(db: Knex, { from, count }: Required<Numbers>): Knex.QueryBuilder {
  const digits = Array.from({ length: 5 }, (_, power) => {
    const one = Array.from({ length: 10 }, (_, digit) => `SELECT ${digit * 10 ** power} AS n`)
    return `(${one.join(' UNION ALL ')}) AS d${power}`
  })
  const n = digits.map((_, power) => `d${power}.n`).join(' + ')
  const id = `CONCAT('${subjectId(0).slice(0, -12)}', LPAD(LOWER(HEX(? + ${n})), 12, '0'))`
  return db.from(db.raw(`(SELECT ${id} AS id FROM ${digits.join(', ')} WHERE ${n} < ?) AS numbered`, [from, count]))
}

/** Keeps others from one assignment, or from those that would stand around it, until it is released. */
export async function holdLocation(
  db: Knex,
  tenantKey: string,
  entityKey: string,
  subject: string,
): Promise<{ release(): Promise<void> }> {
  const tenant_id = await tenantIdOf(db, tenantKey)
  const trx = await db.transaction()
  const held = await trx('subject_locations')
    .where({ tenant_id, entity_key: entityKey, subject_id: subject })
    .forUpdate()
    .first('subject_id')
  if (!held) throw new Error(`${subject} is not assigned to ${entityKey}`)
  return { release: async () => void (await trx.commit()) }
}
