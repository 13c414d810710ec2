// Input values by control and iteration.
import { memberOf, textOf } from './checked.js'
import type { AnswerFaultCode } from './fault-codes.js'
import { controlsOf, type FormTemplate, type PlacedControl, type Repeat } from './template.js'
import type { FormFault } from './values.js'

/** The input for one control in one iteration. */
export interface GivenValue {
  pointer: string
  path: readonly number[]
  /** As it was sent, with what it was wrapped in. */
  value: unknown
}

/** Values as they are sent, by control id; of a control in a repeat a list whose entries name their iterations. */
export type Given = Readonly<Record<string, unknown>>

/** How many iterations repeats have, by {@link iterationKey}. */
export type Iterations = ReadonlyMap<string, number>

/** Names a repeat in the iterations around it. */
export const iterationKey = (repeatId: string, around: readonly number[]): string => `${repeatId} ${around.join(' ')}`

/** Most iterations of one repeat. */
export const maxIterations = 1_000
/** Most values in iterations of one form: an iteration has one for each of its controls. */
const maxValues = 20_000

/**
 * Sorts what was sent by control, of each the first iteration first. Every id that the form does not have, every value in no
 * or the wrong iteration, and every gap between iterations is a fault.
 */
export function readGiven(
  template: FormTemplate,
  given: Given,
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
      faults.push({ pointer, code: 'no-value', detail: 'It is only read, and takes no value.', id, path: [] })
    } else {
      const read = placed.repeats.length === 0 ? alone : inIterations
      values.set(id, read(placed, sent, pointer, faults))
    }
  }
  const filled = filledIn(template, values)
  const count = filled.reduce((sum, { repeat, highest }) => sum + (highest + 1) * repeat.controls.length, 0)
  if (count > maxValues) {
    const detail = `The iterations have ${count} values; at most ${maxValues} are allowed.`
    faults.push({ pointer: '', code: 'too-many', detail, path: [] })
    return { values: new Map(), iterations: new Map(), faults }
  }
  return { values, iterations: countsOf(filled), faults: [...faults, ...gapsIn(filled)] }
}

/** Outside repeats: the value itself, or as it is read back, a list of one. */
function alone({ control }: PlacedControl, sent: unknown, pointer: string, faults: FormFault[]): GivenValue[] {
  const [entry] = Array.isArray(sent) && sent.length === 1 ? sent : []
  const index = memberOf(entry, 'repeatIterationIndex')
  if (index === undefined && memberOf(entry, 'type') === undefined) return [{ pointer, path: [], value: sent }]
  if (index === undefined || index === null) return [{ pointer: `${pointer}/0`, path: [], value: entry }]
  const detail = 'It stands in no repeat: its repeatIterationIndex is null.'
  const at = `${pointer}/0/repeatIterationIndex`
  faults.push({ pointer: at, code: 'iteration', detail, id: control.id, path: [] })
  return []
}

function inIterations(
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

/** The iterations that an entry names, so many of them; undefined where it does not. */
export function pathIn(entry: unknown, length: number): number[] | undefined {
  const index = length === 1 ? [memberOf(entry, 'repeatIterationIndex')] : undefined
  const given = memberOf(entry, 'repeatIterationPath') ?? index
  const path = Array.isArray(given) ? given.map(rounded) : undefined
  return isPath(path, length) ? path : undefined
}

/** Numbers such as 1.0 come as objects that write themselves. */
const rounded = (index: unknown): unknown => (typeof index === 'object' ? Number(textOf(index)) : index)

const isPath = (path: unknown, length: number): path is number[] =>
  Array.isArray(path) &&
  path.length === length &&
  path.every(index => Number.isInteger(index) && index >= 0 && index < maxIterations)

/** The first iteration first, of nested repeats by the outermost. */
const comparePaths = (a: readonly number[], b: readonly number[]): number => {
  const n = a.findIndex((index, n) => index !== b[n])
  return n < 0 ? 0 : (a[n] ?? 0) - (b[n] ?? 0)
}

/** A repeat in the iterations around it, and those of its iterations in which something stands. */
interface Filled {
  repeat: Repeat
  around: readonly number[]
  indices: Set<number>
  highest: number
  /** Of a value in the highest. */
  pointer: string
}

function filledIn(template: FormTemplate, values: ReadonlyMap<string, readonly GivenValue[]>): Filled[] {
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

/** How many iterations each repeat has, by the highest one that a value stands in. */
export const iterationsOf = (template: FormTemplate, values: ReadonlyMap<string, readonly GivenValue[]>): Iterations =>
  countsOf(filledIn(template, values))

/** Iterations that nothing stands in although a later one has something. The fault names what stands behind the gap. */
const gapsIn = (filled: readonly Filled[]): FormFault[] =>
  filled.flatMap(({ repeat: { id }, around, indices, highest, pointer }) => {
    if (indices.size > highest) return []
    const missing = [...Array(highest).keys()].find(n => !indices.has(n))
    const detail = `The repeat '${id}' has an iteration ${highest} but no iteration ${missing}: they are numbered from 0 without gaps.`
    return [{ pointer, code: 'repeat-gap', detail, id, path: around }]
  })
