import { memberOf } from './data-types.js'
import { controlsOf, type FormTemplate, type PlacedControl } from './template.js'
import type { FormFault } from './values.js'

/** What was sent for one control in one iteration. */
export interface GivenValue {
  pointer: string
  path: readonly number[]
  /** Undefined: nothing was entered. */
  value: unknown
}

/** Values as they are sent, by control id; of a control in a repeat a list whose entries name their iterations. */
export type Given = Readonly<Record<string, unknown>>

/** Most iterations of one repeat, and most values of one form. */
const maxIterations = 1_000
const maxValues = 20_000

/**
 * Sorts what was sent by control and iteration, the first iteration first.
 * Every id that the form does not have, every value in no or the wrong iteration, and every gap between iterations is a fault.
 */
export function readGiven(
  template: FormTemplate,
  given: Given,
): { values: Map<string, GivenValue[]>; faults: FormFault[] } {
  const controls = controlsOf(template)
  const faults: FormFault[] = []
  const values = new Map<string, GivenValue[]>()
  let count = 0
  for (const [id, sent] of Object.entries(given)) {
    const pointer = `/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const placed = controls.get(id)
    if (!placed) {
      faults.push({ pointer, code: 'unknown-control', detail: `The form has no control '${id}'.`, path: [] })
      continue
    }
    const read = placed.repeats.length === 0 ? alone(sent, pointer) : iterations(placed, sent, pointer, faults)
    count += read.length
    values.set(id, read)
  }
  if (count > maxValues) {
    const detail = `There are ${count} values; at most ${maxValues} are allowed.`
    return { values: new Map(), faults: [{ pointer: '', code: 'too-many', detail, path: [] }] }
  }
  return { values, faults: [...faults, ...gaps(template, values)] }
}

/** Outside repeats: the value itself, or as it is read back, a list of one. */
function alone(sent: unknown, pointer: string): GivenValue[] {
  const isReadBack = Array.isArray(sent) && sent.length === 1 && memberOf(sent[0], 'type') !== undefined
  return [isReadBack ? { pointer: `${pointer}/0`, path: [], value: sent[0] } : { pointer, path: [], value: sent }]
}

function iterations(
  { control, repeats }: PlacedControl,
  sent: unknown,
  pointer: string,
  faults: FormFault[],
): GivenValue[] {
  const report = (pointer: string, code: string, detail: string) =>
    faults.push({ pointer, code, detail, id: control.id, path: [] })
  if (!Array.isArray(sent)) {
    report(pointer, 'array', 'It stands in a repeat and takes a list: [{"repeatIterationIndex": 0, "value": …}, …].')
    return []
  }
  const seen = new Set<string>()
  const read = sent.flatMap((entry, n): GivenValue[] => {
    const at = `${pointer}/${n}`
    const index = memberOf(entry, 'repeatIterationIndex')
    const path = memberOf(entry, 'repeatIterationPath') ?? (repeats.length === 1 ? [index] : undefined)
    if (!isPath(path, repeats.length)) {
      const [name, shape] =
        repeats.length === 1
          ? ['repeatIterationIndex', 'a number from 0']
          : ['repeatIterationPath', `a list of ${repeats.length} numbers from 0`]
      report(`${at}/${name}`, 'iteration', `${name} is ${shape}, below ${maxIterations}.`)
      return []
    }
    if (seen.has(path.join())) {
      report(at, 'duplicate-iteration', `The iteration ${path.join(', ')} is given twice.`)
      return []
    }
    seen.add(path.join())
    return [{ pointer: at, path, value: entry }]
  })
  return read.sort((a, b) => comparePaths(a.path, b.path))
}

const isPath = (path: unknown, length: number): path is number[] =>
  Array.isArray(path) &&
  path.length === length &&
  path.every(index => Number.isInteger(index) && index >= 0 && index < maxIterations)

export const comparePaths = (a: readonly number[], b: readonly number[]): number => {
  const n = a.findIndex((index, n) => index !== b[n])
  return n < 0 ? 0 : (a[n] ?? 0) - (b[n] ?? 0)
}

/** The numbers of iterations that values stand in, by repeat and the iterations around it. */
export type Iterations = ReadonlyMap<string, number>

export const iterationKey = (repeatId: string, around: readonly number[]): string => `${repeatId} ${around.join(' ')}`

/** How many iterations each repeat has, by the highest one that a value stands in. */
export function iterationsOf(template: FormTemplate, values: ReadonlyMap<string, readonly GivenValue[]>): Iterations {
  const counts = new Map<string, number>()
  for (const [id, all] of values) {
    const repeats = controlsOf(template).get(id)?.repeats ?? []
    for (const { path } of all) {
      repeats.forEach((repeat, depth) => {
        const key = iterationKey(repeat.id, path.slice(0, depth))
        counts.set(key, Math.max(counts.get(key) ?? 0, (path[depth] ?? 0) + 1))
      })
    }
  }
  return counts
}

/** Iterations that nothing stands in although a later one has something. */
function gaps(template: FormTemplate, values: ReadonlyMap<string, readonly GivenValue[]>): FormFault[] {
  const seen = new Map<string, { indices: Set<number>; pointer: string; id: string; around: readonly number[] }>()
  for (const [id, all] of values) {
    const repeats = controlsOf(template).get(id)?.repeats ?? []
    for (const { path, pointer } of all) {
      repeats.forEach((repeat, depth) => {
        const around = path.slice(0, depth)
        const key = iterationKey(repeat.id, around)
        const known = seen.get(key) ?? { indices: new Set(), pointer, id: repeat.id, around }
        known.indices.add(path[depth] ?? 0)
        // The value behind the gap is what the fault names.
        if ((path[depth] ?? 0) === Math.max(...known.indices)) known.pointer = pointer
        seen.set(key, known)
      })
    }
  }
  return [...seen.values()].flatMap(({ indices, pointer, id, around }) => {
    const missing = [...Array(indices.size + 1).keys()].find(n => !indices.has(n)) ?? 0
    if (missing >= indices.size) return []
    const detail = `The repeat '${id}' has no iteration ${missing}, although it has later ones.`
    return [{ pointer, code: 'repeat-gap', detail, id, path: around }]
  })
}
