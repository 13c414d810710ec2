// Names of form fields, and values from form fields.
import { type Given, iterationKey, iterationsOf, maxIterations, pathIn, readGiven } from './given.js'
import { type Control, controlsOf, type FormTemplate, type Repeat, type Section } from './template.js'

/**
 * The field name of a control in these iterations, the outermost first: `depth`, `depth[0]`, `depth[0][2]`. A control
 * with several fields has parts: `place[0].latitude`, `onset.year`, `image.pins[1].x`, `reason.other`, `photo.kept`,
 * `photo.remove`.
 */
export const fieldName = (id: string, path: readonly (number | string)[], part?: string): string =>
  `${id}${path.map(index => `[${index}]`).join('')}${part === undefined ? '' : `.${part}`}`

/** Name of a hidden field that stands in each iteration: checkboxes and radio buttons alone would not be posted. */
export const markerName = (repeatId: string, path: readonly (number | string)[]): string =>
  `repeat:${fieldName(repeatId, path)}`

/** The posted texts of one control in one iteration, by part, in their order. '' is the field without a part. */
type Texts = Map<string, string[]>

/**
 * The values of a posted HTML form, in the shape of the API. Unknown field names are ignored. Iterations are numbered
 * anew without gaps; an empty one stays.
 */
export function givenOf(template: FormTemplate, fields: readonly (readonly [name: string, text: string])[]): Given {
  const { posted, iterations } = sorted(template, fields)
  const given = new Map<string, unknown>()
  const lists = new Map<string, Entry[]>()

  function part(within: Section | Repeat, raw: readonly number[], path: readonly number[]): void {
    const holder = holderOf(within)
    for (const control of within.controls) {
      const texts = posted.get(fieldName(control.id, raw))
      const value = texts && togetherOf(control, texts)
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
      for (const [n, index] of indices.entries()) part(repeat, [...raw, index], [...path, n])
    }
  }

  for (const { sections } of template.buildingBlocks) for (const section of sections) part(section, [], [])
  return Object.fromEntries([...given, ...lists])
}

/**
 * The same values and one more iteration of a repeat behind the others.
 * @param initialOf what a control of it holds at first.
 * @returns them unchanged where there are as many as there may be.
 */
export function withIteration(
  template: FormTemplate,
  given: Given,
  repeatId: string,
  around: readonly number[],
  initialOf: (control: Control) => string | undefined = () => undefined,
): Given {
  const repeat = chainsOf(template).get(repeatId)?.at(-1)
  const holder = repeat && holderOf(repeat)
  if (!repeat || !holder) return given
  const count = iterationsOf(template, readGiven(template, given).values).get(iterationKey(repeatId, around)) ?? 0
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

/** The same values without one iteration of a repeat; those behind it move up. */
export function withoutIteration(
  template: FormTemplate,
  given: Given,
  repeatId: string,
  path: readonly number[],
): Given {
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

/** A value as it is sent for one iteration. */
interface Entry {
  repeatIterationIndex: number | null
  repeatIterationPath?: number[]
  value: unknown
}

const placeOf = (path: readonly number[]) => ({
  repeatIterationIndex: path.at(-1) ?? null,
  ...(path.length > 1 && { repeatIterationPath: [...path] }),
})

/** The control that an iteration is known by when nothing else in it has a value. */
const holderOf = ({ controls }: Section | Repeat): Control | undefined => controls.find(each => each.couldHaveValue)

/** Of each repeat, itself and those around it, the outermost first. */
const chainsOf = (template: FormTemplate): ReadonlyMap<string, readonly Repeat[]> =>
  new Map(
    [...controlsOf(template).values()].flatMap(({ repeats }) =>
      repeats.map(({ id }, depth) => [id, repeats.slice(0, depth + 1)] as const),
    ),
  )

/** Longest name of a field: ids have 64 characters at most, and repeats stand in few others. */
const longestName = 200

const nameShape =
  /^(repeat:)?([a-z_][\w-]*)((?:\[\d{1,4}\])*)(?:\.(latitude|longitude|year|month|day|other|kept|remove|pins\[\d{1,3}\]\.(?:x|y|value)))?$/i

/** The parts of a field's name; undefined where no field of a form has such a name. */
function namedBy(name: string) {
  const [isName, marker, id = '', indices = '', part = ''] =
    name.length > longestName ? [] : (nameShape.exec(name) ?? [])
  if (isName === undefined) return undefined
  return { id, part, isMarker: marker !== undefined, path: [...indices.matchAll(/\d+/g)].map(Number) }
}

/** Id of the control that a field is of, by its name; '' where it is of none. */
export const controlIdOf = (name: string): string => namedBy(name)?.id ?? ''

/** The posted texts by field name without its part, and their iterations as the page numbered them. */
function sorted(template: FormTemplate, fields: readonly (readonly [name: string, text: string])[]) {
  const controls = controlsOf(template)
  const chains = chainsOf(template)
  const posted = new Map<string, Texts>()
  const iterations = new Map<string, Set<number>>()
  for (const [name, text] of fields) {
    const named = namedBy(name)
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

/** The value that the fields of a control have together; '' where nothing was entered. */
function togetherOf({ dataType, options, couldHaveMultipleValues }: Control, texts: Texts): unknown {
  // The last text counts: a ticked box stands behind its hidden field.
  const one = (part: string) => texts.get(part)?.findLast(text => text !== '') ?? ''
  if (options) {
    const chosen = [...(texts.get('') ?? []), ...(texts.get('other') ?? [])].filter(text => text.trim() !== '')
    return couldHaveMultipleValues || chosen.length > 1 ? chosen : (chosen[0] ?? '')
  }
  switch (dataType) {
    case 'geolocation': {
      const [latitude, longitude] = [one('latitude'), one('longitude')]
      return latitude === '' && longitude === '' ? '' : { latitude, longitude }
    }
    case 'date':
      return dateOf(one) || one('')
    case 'annotated-image':
      return { annotations: pinsOf([...texts.keys()], one) }
    case 'data-url':
      return one('') || (one('remove') ? '' : one('kept'))
    default:
      return one('')
  }
}

/** A date from its three fields, as far as they are filled in: one that has a gap is a fault later. */
const dateOf = (one: (part: string) => string): string => {
  const [year = '', month = '', day = ''] = ['year', 'month', 'day'].map(part => one(part).trim())
  const twoDigits = (text: string) => (text === '' ? '' : text.padStart(2, '0'))
  const parts = [year, twoDigits(month), twoDigits(day)]
  return parts.slice(0, parts.findLastIndex(part => part !== '') + 1).join('-')
}

/** Pins in the order of their numbers. Those with nothing in them are blank fields. */
function pinsOf(parts: string[], one: (part: string) => string) {
  const numbers = new Set(parts.flatMap(part => /^pins\[(\d+)\]/.exec(part)?.[1] ?? []))
  return [...numbers]
    .sort((a, b) => Number(a) - Number(b))
    .map(n => ({ x: one(`pins[${n}].x`), y: one(`pins[${n}].y`), value: one(`pins[${n}].value`) }))
    .filter(({ x, y, value }) => x !== '' || y !== '' || value !== '')
}
