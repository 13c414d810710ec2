// Names the fields of an HTML form, and reads values from posted fields.
import {
  iterationKey,
  iterationsOf,
  maxIterations,
  pathIn,
  readSubmitted,
  type SubmittedValues,
} from './submitted-values.js'
import { type Control, controlsOf, type FormTemplate, type Repeat, type Section } from './template.js'

/**
 * Builds the field name of a control in one iteration, with the outermost index first: `depth`, `depth[0]`, `depth[0][2]`.
 * The fields of a control that has several are told apart by their part: `place[0].latitude`, `onset.year`,
 * `image.pins[1].x`, `reason.other`, `photo.kept`, `photo.remove`.
 */
export const fieldName = (id: string, path: readonly (number | string)[], part?: string): string =>
  `${id}${path.map(index => `[${index}]`).join('')}${part === undefined ? '' : `.${part}`}`

/**
 * Builds the name of the hidden field that marks an iteration as present. Browsers do not post unchecked boxes and radio
 * buttons, so an iteration with nothing else would vanish.
 */
export const markerName = (repeatId: string, path: readonly (number | string)[]): string =>
  `repeat:${fieldName(repeatId, path)}`

/** The posted texts of one control in one iteration, by part of the field name; '' is the field without a part. */
type Texts = Map<string, string[]>

/**
 * Reads the values of a posted HTML form, in the shape that the API takes. Unknown field names are ignored. Iterations are
 * renumbered without gaps; empty ones are kept.
 */
export function givenOf(
  template: FormTemplate,
  fields: readonly (readonly [name: string, text: string])[],
): SubmittedValues {
  const { posted, iterations } = sortFields(template, fields)
  const given = new Map<string, unknown>()
  const lists = new Map<string, Entry[]>()

  /** @param raw the iterations as the page numbered them. @param path the iterations without gaps. */
  function collect(within: Section | Repeat, raw: readonly number[], path: readonly number[]): void {
    const holder = holderOf(within)
    for (const control of within.controls) {
      const texts = posted.get(fieldName(control.id, raw))
      const value = texts && valueFrom(control, texts)
      if (path.length === 0) {
        if (texts) given.set(control.id, value)
      } else if (texts || control === holder) {
        const list = lists.get(control.id) ?? []
        list.push({ ...placeOf(path), value: value ?? null })
        lists.set(control.id, list)
      }
    }
    for (const repeat of within.repeats) {
      const indices = [...(iterations.get(iterationKey(repeat.id, raw)) ?? [])].sort((a, b) => a - b)
      for (const [n, index] of indices.entries()) collect(repeat, [...raw, index], [...path, n])
    }
  }

  for (const { sections } of template.buildingBlocks) for (const section of sections) collect(section, [], [])
  return Object.fromEntries([...given, ...lists])
}

/**
 * Adds an iteration at the end of a repeat.
 * @param initialOf returns the initial value of a control.
 * @returns the values with the new iteration, or unchanged if the repeat already has as many as it may have.
 */
export function withIteration(
  template: FormTemplate,
  given: SubmittedValues,
  repeatId: string,
  around: readonly number[],
  initialOf: (control: Control) => string | undefined = () => undefined,
): SubmittedValues {
  const repeat = chainsOf(template).get(repeatId)?.at(-1)
  const holder = repeat && holderOf(repeat)
  if (!repeat || !holder) return given
  const count = iterationsOf(template, readSubmitted(template, given).values).get(iterationKey(repeatId, around)) ?? 0
  if (count >= (repeat.maxIterations ?? maxIterations)) return given
  const added = repeat.controls.flatMap((control): [string, unknown][] => {
    const value = initialOf(control) ?? null
    if (control !== holder && value === null) return []
    const sent = Object.hasOwn(given, control.id) ? given[control.id] : []
    const entry: Entry = { ...placeOf([...around, count]), value }
    return [[control.id, [...(Array.isArray(sent) ? sent : []), entry]]]
  })
  return { ...given, ...Object.fromEntries(added) }
}

/** Removes one iteration of a repeat. The iterations after it move up. */
export function withoutIteration(
  template: FormTemplate,
  given: SubmittedValues,
  repeatId: string,
  path: readonly number[],
): SubmittedValues {
  const depth = path.length - 1
  const removed = path[depth] ?? 0
  const without = (entry: unknown, length: number): unknown[] => {
    const own = pathIn(entry, length)
    const index = own?.[depth]
    if (!own || index === undefined || index < removed) return [entry]
    if (path.slice(0, depth).some((around, n) => around !== own[n])) return [entry]
    return index === removed ? [] : [{ ...Object(entry), ...placeOf(own.with(depth, index - 1)) }]
  }
  return Object.fromEntries(
    Object.entries(given).map(([id, sent]) => {
      const repeats = controlsOf(template).get(id)?.repeats ?? []
      const isInside = repeats[depth]?.id === repeatId && Array.isArray(sent)
      return [id, isInside ? sent.flatMap(entry => without(entry, repeats.length)) : sent]
    }),
  )
}

/** The value of one iteration, in the shape that the API takes. */
interface Entry {
  repeatIterationIndex: number | null
  repeatIterationPath?: number[]
  value: unknown
}

const placeOf = (path: readonly number[]) => ({
  repeatIterationIndex: path.at(-1) ?? null,
  ...(path.length > 1 && { repeatIterationPath: [...path] }),
})

/** Returns the control that gets an empty value in every iteration, so that an empty iteration is not lost. */
const holderOf = ({ controls }: Section | Repeat): Control | undefined => controls.find(each => each.couldHaveValue)

/** Maps the id of each repeat to the repeats around it and itself, the outermost first. */
const chainsOf = (template: FormTemplate): ReadonlyMap<string, readonly Repeat[]> =>
  new Map(
    [...controlsOf(template).values()].flatMap(({ repeats }) =>
      repeats.map(({ id }, depth) => [id, repeats.slice(0, depth + 1)] as const),
    ),
  )

/** Longest field name that is read, in characters: ids have at most 64, and repeats are not nested deeply. */
const longestName = 200

const nameShape =
  /^(repeat:)?([a-z_][\w-]*)((?:\[\d{1,4}\])*)(?:\.(latitude|longitude|year|month|day|time|other|kept|remove|pins\[\d{1,3}\]\.(?:x|y|value)))?$/i

/** Splits a field name into its parts. Returns undefined if no field of a form can have this name. */
function parseName(name: string) {
  const [isName, marker, id = '', indices = '', part = ''] =
    name.length > longestName ? [] : (nameShape.exec(name) ?? [])
  if (isName === undefined) return undefined
  return { id, part, isMarker: marker !== undefined, path: [...indices.matchAll(/\d+/g)].map(Number) }
}

/** Returns the id of the control that a field belongs to; '' if it belongs to none. */
export const controlIdOf = (name: string): string => parseName(name)?.id ?? ''

/**
 * Groups posted texts by field name without the part, and collects the iterations of each repeat as the page numbered
 * them.
 */
function sortFields(template: FormTemplate, fields: readonly (readonly [name: string, text: string])[]) {
  const controls = controlsOf(template)
  const chains = chainsOf(template)
  const posted = new Map<string, Texts>()
  const iterations = new Map<string, Set<number>>()
  for (const [name, text] of fields) {
    const named = parseName(name)
    if (!named) continue
    const { id, part, path, isMarker } = named
    const repeats = isMarker ? chains.get(id) : controls.get(id)?.repeats
    if (repeats?.length !== path.length || Math.max(0, ...path) >= maxIterations) continue
    for (const [depth, repeat] of repeats.entries()) {
      const key = iterationKey(repeat.id, path.slice(0, depth))
      iterations.set(key, (iterations.get(key) ?? new Set()).add(path[depth] ?? 0))
    }
    if (isMarker) continue
    const field = fieldName(id, path)
    const texts: Texts = posted.get(field) ?? new Map()
    const before = texts.get(part)
    if (before) before.push(text)
    else posted.set(field, texts.set(part, [text]))
  }
  return { posted, iterations }
}

/** Combines the fields of a control into its value. Returns '' if nothing was entered. */
function valueFrom({ dataType, options, couldHaveMultipleValues }: Control, texts: Texts): unknown {
  // The last text counts, because a ticked box is posted after the hidden field of the same name.
  const partText = (part: string) => texts.get(part)?.findLast(text => text !== '') ?? ''
  if (options) {
    const chosen = [...(texts.get('') ?? []), ...(texts.get('other') ?? [])].filter(text => text.trim() !== '')
    return couldHaveMultipleValues || chosen.length > 1 ? chosen : (chosen[0] ?? '')
  }
  switch (dataType) {
    case 'geolocation': {
      const [latitude, longitude] = [partText('latitude'), partText('longitude')]
      return latitude === '' && longitude === '' ? '' : { latitude, longitude }
    }
    case 'date':
    case 'datetime':
      return dateOf(partText) || partText('')
    case 'time':
      return timeOf(partText(''))
    case 'annotated-image':
      return { annotations: pinsOf([...texts.keys()], partText) }
    case 'data-url':
      return partText('') || (partText('remove') ? '' : partText('kept'))
    default:
      return partText('')
  }
}

/** The texts in the fields of a date or of a date with a time. */
export const dateParts = ['year', 'month', 'day', 'time'] as const

/**
 * Joins the fields of a date up to the last one that is filled in. A gap, such as a missing month, becomes a fault later. Texts
 * that cannot be told apart once they are joined are returned as they are, for the page to show them with their fault.
 */
function dateOf(partText: (part: string) => string): unknown {
  const [year = '', month = '', day = '', time = ''] = dateParts.map(part => partText(part).trim())
  const isDate = [year, month, day].every(text => /^\d*$/.test(text))
  if (!isDate || (time !== '' && day === '')) return { year, month, day, time }
  const twoDigits = (text: string) => (text === '' ? '' : text.padStart(2, '0'))
  const parts = [year, twoDigits(month), twoDigits(day)]
  const date = parts.slice(0, parts.findLastIndex(part => part !== '') + 1).join('-')
  return time === '' ? date : `${date}T${timeOf(time)}`
}

/** Writes the hour of a time such as 9:30 with two digits. */
const timeOf = (text: string): string => text.trim().replace(/^\d:/, '0$&')

/** Reads the pins of a picture in the order of their numbers, without the blank ones. */
function pinsOf(parts: string[], partText: (part: string) => string) {
  const numbers = new Set(parts.flatMap(part => /^pins\[(\d+)\]/.exec(part)?.[1] ?? []))
  return [...numbers]
    .sort((a, b) => Number(a) - Number(b))
    .map(n => ({ x: partText(`pins[${n}].x`), y: partText(`pins[${n}].y`), value: partText(`pins[${n}].value`) }))
    .filter(({ x, y, value }) => x !== '' || y !== '' || value !== '')
}
