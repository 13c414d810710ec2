// Sorts submitted values by control and iteration.
import { memberOf, textOf } from './checked.js'
import type { AnswerFaultCode } from './fault-codes.js'
import { controlsOf, type FormTemplate, type PlacedControl, type Repeat } from './template.js'
import type { FormFault } from './values.js'

/** The submitted value of one control in one iteration. */
export interface GivenValue {
  pointer: string
  path: readonly number[]
  /** The value as it was sent, still inside its wrapper (`{ type, value, … }`) if it came in one. */
  value: unknown
}

/** Values as they were sent, by control id. Controls in a repeat have a list whose entries name their iterations. */
export type SubmittedValues = Readonly<Record<string, unknown>>

/** The number of iterations of each repeat, by {@link iterationKey}. */
export type Iterations = ReadonlyMap<string, number>

/** Builds a key for one occurrence of a repeat: a nested repeat has one in each iteration around it. */
export const iterationKey = (repeatId: string, around: readonly number[]): string => `${repeatId} ${around.join(' ')}`

/** Highest number of iterations of one repeat. */
export const maxIterations = 1_000
/** Highest number of values inside the repeats of one form. An iteration counts one for each of its controls. */
const maxValues = 20_000

/**
 * Sorts submitted values by control, and the values of each control by iteration. Reports a fault for every id that the form
 * does not have, every value without a valid iteration, and every gap between iterations.
 */
export function readSubmitted(
  template: FormTemplate,
  given: SubmittedValues,
): { values: Map<string, GivenValue[]>; iterations: Iterations; faults: FormFault[] } {
  const controls = controlsOf(template)
  const faults: FormFault[] = []
  const values = new Map<string, GivenValue[]>()
  for (const [id, sent] of Object.entries(given)) {
    const pointer = `/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const placed = controls.get(id)
    if (!placed) {
      const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id
      faults.push({ pointer, code: 'unknown-control', detail: `The form has no control '${shown}'.`, path: [] })
    } else if (!placed.control.couldHaveValue) {
      faults.push({ pointer, code: 'no-value', detail: 'It only shows a text and takes no value.', id, path: [] })
    } else {
      const read = placed.repeats.length === 0 ? readSingle : readIterations
      values.set(id, read(placed, sent, pointer, faults))
    }
  }
  const filled = findFilled(template, values)
  const count = filled.reduce((sum, { repeat, highest }) => sum + (highest + 1) * repeat.controls.length, 0)
  if (count > maxValues) {
    const detail = `The iterations have ${count} values; at most ${maxValues} are allowed.`
    faults.push({ pointer: '', code: 'too-many', detail, path: [] })
    return { values: new Map(), iterations: new Map(), faults }
  }
  return { values, iterations: countsOf(filled), faults: [...faults, ...gapsIn(filled)] }
}

/**
 * Reads the value of a control outside all repeats. It comes as such, or as a list of one, the shape in which the API
 * returns it.
 */
function readSingle({ control }: PlacedControl, sent: unknown, pointer: string, faults: FormFault[]): GivenValue[] {
  const [entry] = Array.isArray(sent) && sent.length === 1 ? sent : []
  const index = memberOf(entry, 'repeatIterationIndex')
  if (index === undefined && memberOf(entry, 'type') === undefined) return [{ pointer, path: [], value: sent }]
  if (index === undefined || index === null) return [{ pointer: `${pointer}/0`, path: [], value: entry }]
  const detail = 'The control is in no repeat, so its repeatIterationIndex must be null.'
  const at = `${pointer}/0/repeatIterationIndex`
  faults.push({ pointer: at, code: 'iteration', detail, id: control.id, path: [] })
  return []
}

/** Reads the values of a control inside a repeat: a list whose entries name their iterations. */
function readIterations(
  { control, repeats }: PlacedControl,
  sent: unknown,
  pointer: string,
  faults: FormFault[],
): GivenValue[] {
  const report = (pointer: string, code: AnswerFaultCode, detail: string) =>
    faults.push({ pointer, code, detail, id: control.id, path: [] })
  const isNested = repeats.length > 1
  if (sent === null || sent === undefined) return []
  if (!Array.isArray(sent)) {
    const member = isNested ? `"repeatIterationPath": [${repeats.map(() => 0)}]` : '"repeatIterationIndex": 0'
    report(pointer, 'array', `It stands in a repeat and takes a list: [{${member}, "value": …}, …].`)
    return []
  }
  const seen = new Set<string>()
  const read = sent.flatMap((entry, n): GivenValue[] => {
    const at = `${pointer}/${n}`
    const path = pathIn(entry, repeats.length)
    if (!path) {
      const name = isNested ? 'repeatIterationPath' : 'repeatIterationIndex'
      const shape = isNested ? `a list of ${repeats.length} whole numbers, each` : 'a whole number'
      report(`${at}/${name}`, 'iteration', `${name} is ${shape} from 0 to ${maxIterations - 1}.`)
      return []
    }
    const key = path.join(', ')
    if (seen.has(key)) {
      report(at, 'duplicate-iteration', `The iteration ${key} is given twice.`)
      return []
    }
    seen.add(key)
    return [{ pointer: at, path, value: entry }]
  })
  return read.sort((a, b) => comparePaths(a.path, b.path))
}

/**
 * Reads the iterations that an entry names, the outermost first.
 * @param length how many repeats stand around the control.
 * @returns undefined if the entry does not name a valid iteration for each of them.
 */
export function pathIn(entry: unknown, length: number): number[] | undefined {
  const index = length === 1 ? [memberOf(entry, 'repeatIterationIndex')] : undefined
  const given = memberOf(entry, 'repeatIterationPath') ?? index
  const path = Array.isArray(given) ? given.map(toNumber) : undefined
  return isPath(path, length) ? path : undefined
}

/** Turns an index such as 1.0, which arrives as an object with `toJSON`, into a number. */
const toNumber = (index: unknown): unknown => (typeof index === 'object' ? Number(textOf(index)) : index)

const isPath = (path: unknown, length: number): path is number[] =>
  Array.isArray(path) &&
  path.length === length &&
  path.every(index => Number.isInteger(index) && index >= 0 && index < maxIterations)

/** Orders paths by their outermost iteration, then by the next one inside it. */
const comparePaths = (a: readonly number[], b: readonly number[]): number => {
  const n = a.findIndex((index, n) => index !== b[n])
  return n < 0 ? 0 : (a[n] ?? 0) - (b[n] ?? 0)
}

/** One occurrence of a repeat, and those of its iterations that have a value. */
interface Filled {
  repeat: Repeat
  around: readonly number[]
  indices: Set<number>
  highest: number
  /** JSON pointer of a value in the highest iteration. */
  pointer: string
}

/** Finds all repeats that have values, and the iterations with values in each. */
function findFilled(template: FormTemplate, values: ReadonlyMap<string, readonly GivenValue[]>): Filled[] {
  const filled = new Map<string, Filled>()
  for (const [id, all] of values) {
    for (const [depth, repeat] of (controlsOf(template).get(id)?.repeats ?? []).entries()) {
      for (const { path, pointer } of all) {
        const around = path.slice(0, depth)
        const index = path[depth] ?? 0
        const key = iterationKey(repeat.id, around)
        const known = filled.get(key) ?? { repeat, around, indices: new Set(), highest: -1, pointer }
        filled.set(key, known)
        known.indices.add(index)
        if (index > known.highest) Object.assign(known, { highest: index, pointer })
      }
    }
  }
  return [...filled.values()]
}

const countsOf = (filled: readonly Filled[]): Iterations =>
  new Map(filled.map(({ repeat, around, highest }) => [iterationKey(repeat.id, around), highest + 1]))

/** Counts the iterations of each repeat. The highest iteration that has a value decides. */
export const iterationsOf = (template: FormTemplate, values: ReadonlyMap<string, readonly GivenValue[]>): Iterations =>
  countsOf(findFilled(template, values))

/**
 * Reports repeats with an iteration that has no value although a later one has. The fault points to a value of the
 * highest one.
 */
const gapsIn = (filled: readonly Filled[]): FormFault[] =>
  filled.flatMap(({ repeat: { id }, around, indices, highest, pointer }) => {
    if (indices.size > highest) return []
    const missing = [...Array(highest).keys()].find(n => !indices.has(n))
    const detail = `The repeat '${id}' has an iteration ${highest} but no iteration ${missing}: they are numbered from 0 without gaps.`
    return [{ pointer, code: 'repeat-gap', detail, id, path: around }]
  })
