// Writes assignments of subjects to entities directly in the database, and models them.
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { insertMissing, Sql, slices } from '../../db/rows.js'

/** A range of numbered subjects: `count` of them, beginning with the number `from`. */
export interface Numbers {
  from?: number
  count: number
}

/** Returns the id of a numbered subject. Ids sort like the numbers. */
export const subjectId = (n: number): string => `01930000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

export const subjectIds = ({ from = 0, count }: Numbers): string[] =>
  Array.from({ length: count }, (_, n) => subjectId(from + n))

/** Creates numbered subjects without values. */
export async function seedSubjects(db: Knex, tenantKey: string, numbers: Numbers): Promise<void> {
  const tenant = await tenantIdOf(db, tenantKey)
  const columns = ['tenant_id', 'id', 'external_id', 'custom_values', 'created_at', 'updated_at']
  const time = new Sql('NOW(3)')
  for (const some of slices(subjectIds(numbers), perStep)) {
    await insertMissing(
      db,
      'subjects',
      columns,
      some.map(id => [tenant, id, id, '{}', time, time]),
    )
  }
}

/** Assigns numbered subjects to an entity. */
export async function seedLocations(db: Knex, tenantKey: string, entityKey: string, numbers: Numbers): Promise<void> {
  const tenant = await tenantIdOf(db, tenantKey)
  const columns = ['tenant_id', 'entity_key', 'subject_id']
  for (const some of slices(subjectIds(numbers), perStep)) {
    await insertMissing(
      db,
      'subject_locations',
      columns,
      some.map(id => [tenant, entityKey, id]),
    )
  }
}

const perStep = 50_000

/** Locks an assignment, which must exist, until `release` is called. */
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

/** What a transfer did. Undoing it needs this. */
interface TransferRecord {
  source: string
  destination: string
  mode: 'Copy' | 'Move'
  /**
   * The subjects that it brought to the destination or, as a Move, took from the source, each with its assignment at the destination.
   */
  taken: Map<string, { there: symbol; brought: boolean }>
}

export type LocationModel = ReturnType<typeof locationModel>

/**
 * Models the assignments of a tenant with a plain map from entities to their subjects, which shares no code with the product. Every
 * assignment is a symbol of its own, so one that was removed and made again is a different one.
 */
export function locationModel() {
  const places = new Map<string, Map<string, symbol>>()
  const at = (key: string): Map<string, symbol> => {
    const found = places.get(key) ?? new Map<string, symbol>()
    places.set(key, found)
    return found
  }
  const add = (key: string, subject: string): boolean => {
    if (at(key).has(subject)) return false
    at(key).set(subject, Symbol(subject))
    return true
  }

  return {
    /** Returns the subjects of an entity, sorted. */
    at: (key: string): string[] => [...at(key).keys()].sort(),

    assign(key: string, subjects: readonly string[]): void {
      for (const subject of subjects) add(key, subject)
    },

    remove(key: string, subjects: readonly string[]): void {
      for (const subject of subjects) at(key).delete(subject)
    },

    /** @param subjects the subjects to transfer, by default all at the source. */
    transfer(source: string, destination: string, mode: 'Copy' | 'Move', subjects = [...at(source).keys()]) {
      const record: TransferRecord = { source, destination, mode, taken: new Map() }
      let sum = 0
      for (const subject of subjects) {
        const brought = add(destination, subject)
        if (brought) sum++
        const there = at(destination).get(subject)
        if (there && (brought || mode === 'Move')) record.taken.set(subject, { there, brought })
        if (mode === 'Move') at(source).delete(subject)
      }
      return { record, counts: { [mode === 'Move' ? 'moved' : 'copied']: sum, skipped: subjects.length - sum } }
    },

    /** Undoes a transfer, except for assignments that have changed since. */
    undo({ source, destination, mode, taken }: TransferRecord) {
      let undone = 0
      for (const [subject, { there, brought }] of taken) {
        if (at(destination).get(subject) !== there) continue
        if (mode === 'Move' && !add(source, subject)) continue
        if (brought) at(destination).delete(subject)
        undone++
      }
      return { undone, leftAlone: taken.size - undone }
    },

    /**
     * Compares every assignment of the tenant in the database with the model.
     * @returns descriptions of the first ten differences.
     */
    async differences(db: Knex, tenantKey: string): Promise<string[]> {
      const tenant_id = await tenantIdOf(db, tenantKey)
      const rows = await db('subject_locations').where({ tenant_id }).select('entity_key', 'subject_id')
      const stored = rows.map(row => `${row.subject_id} at ${row.entity_key}`)
      const wanted = [...places].flatMap(([key, subjects]) => [...subjects.keys()].map(each => `${each} at ${key}`))
      const [isStored, isWanted] = [new Set(stored), new Set(wanted)]
      const wrong = [
        ...wanted.filter(each => !isStored.has(each)).map(each => `${each} is missing`),
        ...stored.filter(each => !isWanted.has(each)).map(each => `${each} should not be there`),
        ...(stored.length === isStored.size ? [] : ['assignments are there twice']),
      ]
      return wrong.length > 10 ? [...wrong.slice(0, 10), `and ${wrong.length - 10} more`] : wrong
    },
  }
}
