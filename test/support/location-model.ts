// A model of the assignments of subjects.
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'

/** What a transfer did, as its undo needs it. */
export interface TransferRecord {
  source: string
  destination: string
  mode: 'Copy' | 'Move'
  /** Whom it brought to the destination or, being a Move, took from the source, with the assignment at the destination. */
  taken: Map<string, { there: symbol; brought: boolean }>
}

export type LocationModel = ReturnType<typeof locationModel>

/**
 * Where the subjects of a tenant must be: a plain map from an entity to its subjects, and nothing of our code. Every
 * assignment is a symbol of its own, so one that was taken away and made again is another one.
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
    /** Subjects of an entity, sorted. */
    at: (key: string): string[] => [...at(key).keys()].sort(),

    assign(key: string, subjects: readonly string[]): void {
      for (const subject of subjects) add(key, subject)
    },

    remove(key: string, subjects: readonly string[]): void {
      for (const subject of subjects) at(key).delete(subject)
    },

    /** @param subjects who is transferred; everybody at the source unless it is said. */
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

    /** Undoes a transfer, but for what changed since. */
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
     * Compares every assignment of the tenant, read straight from the database, with the model.
     * @returns the differences in words, the first ten of them; empty when each is there once.
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
