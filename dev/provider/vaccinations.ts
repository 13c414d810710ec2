// Invents and stores the vaccinations of the demo provider.
import { createHash } from 'node:crypto'
import { mulberry32 } from '../shuffle.js'

/** A dose that a person has received, as the register stores it. */
export interface Vaccination {
  id: string
  nationalId: string
  vaccine: string
  programme: 'routine' | 'seasonal' | 'travel'
  /** Counted from 1. */
  dose: number
  /** An ISO date, such as 2024-03-09. */
  date: string
  lot: string
  /** Set if somebody has checked the entry. */
  verified: boolean
}

export interface VaccinationPage {
  rows: Vaccination[]
  /** The id after which the next page begins. Absent on the last page. */
  next?: string
}

/** The rows of the register, in the order of their ids. */
export interface Vaccinations {
  /**
   * Returns rows after an id; '' begins with the first row. As pages continue after an id and not at an offset, rows that are
   * added or removed between two pages shift nothing.
   */
  page(query: { after: string; size: number; programme?: string | undefined }): VaccinationPage
  of(nationalId: string, programme?: string): Vaccination[]
  put(row: Vaccination): void
  /** Removes a row. Returns false if there was none. */
  remove(id: string): boolean
  all(programme?: string): Vaccination[]
}

const vaccines = [
  { vaccine: 'Diphtheria, tetanus, pertussis, polio', programme: 'routine' },
  { vaccine: 'Measles, mumps, rubella', programme: 'routine' },
  { vaccine: 'Hepatitis B', programme: 'routine' },
  { vaccine: 'Pneumococcus', programme: 'routine' },
  { vaccine: 'Influenza', programme: 'seasonal' },
  { vaccine: 'COVID-19', programme: 'seasonal' },
  { vaccine: 'Yellow fever', programme: 'travel' },
  { vaccine: 'Rabies', programme: 'travel' },
] as const

/**
 * Invents the doses of a person. They depend only on the national id, so they are the same in every run.
 * @param doses how many. By default a random number up to six.
 */
export function vaccinationsOf(nationalId: string, doses?: number): Vaccination[] {
  const next = mulberry32(createHash('sha256').update(nationalId).digest().readInt32LE())
  const below = (limit: number) => Math.floor(next() * limit)
  const had = new Map<string, number>()
  return Array.from({ length: doses ?? below(7) }, (_, n) => {
    const { vaccine, programme } = vaccines[below(vaccines.length)] ?? vaccines[0]
    const dose = (had.get(vaccine) ?? 0) + 1
    had.set(vaccine, dose)
    const day = new Date(Date.UTC(2008, 0, 1 + n * 700 + below(700)))
    const lot = `${String.fromCharCode(65 + below(26))}${String(below(10_000)).padStart(4, '0')}`
    const date = day.toISOString().slice(0, 10)
    return { id: `${nationalId}-${n + 1}`, nationalId, vaccine, programme, dose, date, lot, verified: next() < 0.9 }
  })
}

/** Returns the data point that the glue of the demo makes of a row. */
export function dataPointOf({ id, nationalId, dose, date, verified, vaccine, programme, lot }: Vaccination) {
  const item = (Key: string, DataType: string, Value: unknown) => ({ Key, Value: { DataType, Value } })
  return {
    Id: id,
    SubjectIdentifier: nationalId,
    DataPointItems: [
      item('vaccine', 'String', vaccine),
      item('programme', 'String', programme),
      item('dose', 'Integer', dose),
      item('date', 'Date', date),
      item('lot', 'String', lot),
      item('verified', 'Boolean', verified),
    ],
  }
}

/** Returns national ids of people who are not subjects of the demo, for tests and benchmarks. */
export const strangers = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `TEST${String(n + 1).padStart(7, '0')}`)

/** Creates a store of rows, in memory. */
export function createVaccinations(rows: readonly Vaccination[]): Vaccinations {
  const sorted = inOrder(rows)
  const byPerson = new Map<string, Set<Vaccination>>()
  const ofPerson = (nationalId: string) => byPerson.get(nationalId) ?? new Set()
  const addToPerson = (row: Vaccination) => byPerson.set(row.nationalId, ofPerson(row.nationalId).add(row))
  sorted.forEach(addToPerson)

  /** Finds the index of the first row whose id is not below this one. */
  const placeOf = (id: string): number => {
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((sorted[middle]?.id ?? '') < id) from = middle + 1
      else to = middle
    }
    return from
  }
  const remove = (id: string) => {
    const at = placeOf(id)
    const row = sorted[at]
    if (row?.id !== id) return false
    sorted.splice(at, 1)
    return ofPerson(row.nationalId).delete(row)
  }

  return {
    page({ after, size, programme }) {
      const page: Vaccination[] = []
      let at = placeOf(after)
      if (sorted[at]?.id === after) at++
      for (; at < sorted.length && page.length < size; at++) {
        const row = sorted[at]
        if (row && isOf(row, programme)) page.push(row)
      }
      const last = page.at(-1)
      return { rows: page, ...(last && at < sorted.length ? { next: last.id } : {}) }
    },
    of: (nationalId, programme) => inOrder(ofPerson(nationalId)).filter(row => isOf(row, programme)),
    put(row) {
      remove(row.id)
      sorted.splice(placeOf(row.id), 0, row)
      addToPerson(row)
    },
    remove,
    all: programme => sorted.filter(row => isOf(row, programme)),
  }
}

const inOrder = (rows: Iterable<Vaccination>): Vaccination[] => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))

const isOf = (row: Vaccination, programme: string | undefined): boolean =>
  programme === undefined || row.programme === programme
