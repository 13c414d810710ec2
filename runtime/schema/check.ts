// Checks values against schemas and reports every fault.
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

/**
 * Creates a check for a schema. It brings member names into the schema's spelling and finds the faults of the value.
 */
export function checkOf(schema: TSchema): (given: unknown) => Checked {
  const { rename, isSound, faultsIn } = partsOf(schema)
  return given => {
    const { value, faults } = rename(given)
    return { value, faults: isSound(value) ? faults : faultsIn(value, faults) }
  }
}

/** Returns the steps of {@link checkOf} separately, for values that are checked in blocks. */
export function partsOf(schema: TSchema) {
  const validator = Compile(schema)
  const shorten = longLists(schema)
  return {
    rename: canonicalNames(schema),
    isSound: (value: unknown) => validator.Check(value),
    faultsIn(value: unknown, faults: readonly Fault[]): Fault[] {
      const short = shorten(value)
      const tooMany = short.tooMany.map(fault => {
        const pointer = short.original(fault.pointer)
        return {
          ...fault,
          pointer,
          ...(Array.isArray(value) && pointer !== '' && { index: Number(pointer.split('/')[1]) }),
        }
      })
      const known = new Set(tooMany.map(({ pointer }) => pointer))
      const found = firstFaults(faultsOf(validator.Errors(short.value), short, schema))
      return listed([...faults, ...tooMany, ...found.filter(({ pointer }) => !known.has(pointer))], short.leftOut)
    },
  }
}
