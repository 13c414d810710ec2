// Checks values by schema and names every fault.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Fault, firstFaults, listed } from '../problems/problem.js'
import { canonicalNames } from './canonical-names.js'
import { faultsOf } from './faults.js'
import { longLists } from './long-lists.js'

export interface Checked {
  value: unknown
  faults: Fault[]
}

/** Makes a check that finds the faults of a value, and gives its members the names of the schema. */
export function checkOf(schema: TSchema): (given: unknown) => Checked {
  const { rename, isSound, faultsIn } = partsOf(schema)
  return given => {
    const { value, faults } = rename(given)
    return { value, faults: isSound(value) ? faults : faultsIn(value, faults) }
  }
}

/** The parts of a check: what {@link checkOf} does at once, for a value that is checked in blocks. */
export function partsOf(schema: TSchema) {
  const validator = Compile(schema)
  const shorten = longLists(schema)
  return {
    rename: canonicalNames(schema),
    isSound: (value: unknown) => validator.Check(value),
    faultsIn(value: unknown, faults: readonly Fault[]): Fault[] {
      const short = shorten(value)
      if (short.tooMany) return [short.tooMany]
      const found = firstFaults(faultsOf(validator.Errors(short.value), short, schema))
      return listed([...faults, ...found], short.leftOut)
    },
  }
}
