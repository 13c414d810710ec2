// Makes random form templates for tests of extracts, with values for each kind of control.
import fc, { type Arbitrary } from 'fast-check'
import { imageWithPins } from '../../forms/annotated-image.js'
import type { KnownBlock, KnownForm, ShownValues } from './extract-model.js'
import { aPicture } from './factories.js'
import type { TemplateBody } from './forms.js'

/** Like `fc.record` with all members required, but makes ordinary objects, which failed tests print readably. */
export const recordOf = <Value>(members: { [Name in keyof Value]: Arbitrary<Value[Name]> }): Arbitrary<Value> =>
  fc.record(members, { noNullPrototype: true })

/** The type of the values that an arbitrary makes. */
export type Made<Of> = Of extends Arbitrary<infer Value> ? Value : never

/** A value as extracts show it, without its position in repeats. */
type ShownContent = { type: string } & Record<string, unknown>

/** A kind of control: its definition in a template, and values, each as it is sent and as extracts show it. */
interface ControlKind {
  control: { dataType: string; [member: string]: unknown }
  values: readonly (readonly [sent: unknown, shown: ShownContent])[]
}

const single = (value: string): ShownContent => ({ type: 'single-value', value })
const kept = (...texts: string[]) => texts.map(text => [text, single(text)] as const)
const options = ['1', '2', '3 4'].map(value => ({ value, label: `No. "${value}" <&>\\` }))
const chosen = (value: string, displayName = `No. "${value}" <&>\\`) => ({ value, displayName })

const image = { label: 'A & B', image: aPicture, imageDescription: 'A "body"' }
const pinned = (...annotations: { x: number; y: number; value: string }[]): readonly [unknown, ShownContent] => {
  const numbered = annotations.map((each, n) => ({ position: n + 1, ...each }))
  const imageDataUri = imageWithPins(image, numbered)
  return [{ annotations }, { type: 'annotated-image', annotations: numbered, imageDataUri }]
}

/** A yes-no control that comes first. The relevance of other controls depends on it. */
export const gate: ControlKind = {
  control: { dataType: 'boolean' },
  values: [
    [true, single('true')],
    ['False', single('false')],
  ],
}

/** A kind of control for each data type and each value type. */
const controlKinds: readonly ControlKind[] = [
  {
    control: { dataType: 'string' },
    values: kept('a', 'ä 山 😀\u{1f3e5}', 'two\nlines', '"q" \\ \' </script>', 'x'.repeat(300)),
  },
  {
    control: { dataType: 'integer' },
    values: [[7, single('7')], ['+007', single('7')], ...kept('-123456789012345678')],
  },
  {
    control: { dataType: 'decimal' },
    values: [[2.5, single('2.5')], ['.50', single('0.50')], ...kept('-0.000000000000000001')],
  },
  { control: { dataType: 'html' }, values: kept('<p>Dear <b>colleague</b> &amp; friend</p>') },
  { control: { dataType: 'date' }, values: kept('2020-02-29', '0001-01-01') },
  { control: { dataType: 'time' }, values: [['09:30', single('09:30:00')], ...kept('23:59:59')] },
  {
    control: { dataType: 'datetime' },
    values: [
      ['2026-11-02T09:30:00+02:00', single('2026-11-02T07:30:00.000Z')],
      ['2026-11-02 09:30', single('2026-11-02T09:30:00')],
    ],
  },
  { control: { dataType: 'url' }, values: kept('https://example.org/a?b=c&d=%20#e') },
  { control: { dataType: 'data-url' }, values: kept(aPicture) },
  {
    control: { dataType: 'geolocation' },
    values: [
      [
        { latitude: '48.2', longitude: -16.370000049 },
        { type: 'geolocation', latitude: 48.2, longitude: -16.37 },
      ],
    ],
  },
  {
    control: { dataType: 'annotated-image', ...image },
    values: [
      pinned({ x: 25, y: 50.5, value: 'a "pin" <&>' }),
      pinned({ x: 0, y: 0, value: '' }, { x: 100, y: 100, value: 'ü' }),
    ],
  },
  {
    control: { dataType: 'translatable-text-value', targetLanguage: 'de' },
    values: [
      [
        'two',
        {
          type: 'translatable-text-value',
          originalText: 'two',
          sourceLanguageCode: 'en',
          targetLanguageCode: 'de',
        },
      ],
      [
        {
          originalText: 'deux',
          translatedText: 'two',
          sourceLanguageCode: 'fr',
          targetLanguageCode: 'en',
          translatedDateTime: '2026-11-02T09:30:00+01:00',
        },
        {
          type: 'translatable-text-value',
          originalText: 'deux',
          translatedText: 'two',
          sourceLanguageCode: 'fr',
          targetLanguageCode: 'en',
          translatedDateTime: '2026-11-02T08:30:00.000Z',
        },
      ],
    ],
  },
  {
    control: { dataType: 'date', partial: true },
    values: [
      ['2026', { type: 'partial-date', dateKind: 'yyyy', date: '2026-01-01' }],
      ['2026-10', { type: 'partial-date', dateKind: 'yyyy-MM', date: '2026-10-01' }],
      ['2026-10-31', { type: 'partial-date', dateKind: 'yyyy-MM-dd', date: '2026-10-31' }],
    ],
  },
  {
    control: { dataType: 'string', options, allowOther: true },
    values: [
      ['2', { type: 'single-selection', ...chosen('2') }],
      ['of my own', { type: 'single-selection', ...chosen('of my own', 'of my own') }],
    ],
  },
  {
    control: { dataType: 'string', options, couldHaveMultipleValues: true },
    values: [
      [['2', '1'], { type: 'multiple-selection', selections: [chosen('2'), chosen('1')] }],
      [['3 4'], { type: 'multiple-selection', selections: [chosen('3 4')] }],
    ],
  },
  { control: { dataType: 'string', couldHaveValue: false, text: 'Only read' }, values: [] },
]

/** When a part is relevant: always, in ward A, if the gate before it is true, or if the gate is not answered. */
type Relevance = 'always' | 'ward' | 'open' | 'unanswered'
const relevance = fc.constantFrom<Relevance>('always', 'always', 'always', 'ward', 'open', 'unanswered')

interface Part {
  relevant: Relevance
  /** Controls, by their index in {@link controlKinds}. */
  controls: { kind: number; relevant: Relevance }[]
  repeats: Part[]
}

const some = (max: number) => ({ maxLength: max, size: 'max' }) as const
const controls = fc.array(recordOf({ kind: fc.nat(controlKinds.length - 1), relevant: relevance }), some(3))
const part = (repeats: fc.Arbitrary<Part[]>): fc.Arbitrary<Part> => recordOf({ relevant: relevance, controls, repeats })
const inRepeats = fc.array(part(fc.array(part(fc.constant([])), some(1))), some(1))

/** The building blocks of a tenant, and forms with some of them. Entries with the same key are versions. */
export const templates = recordOf({
  blocks: fc.array(recordOf({ key: fc.nat(2), sections: fc.array(part(inRepeats), { minLength: 1, ...some(2) }) }), {
    minLength: 1,
    ...some(4),
  }),
  forms: fc.array(recordOf({ key: fc.nat(1), blocks: fc.array(fc.nat(3), { minLength: 1, ...some(3) }) }), {
    minLength: 1,
    ...some(3),
  }),
})
export type Templates = Made<typeof templates>

interface NamedPart {
  id: string
  relevant: Relevance
  /** Id of the gate of the surrounding part. */
  gateId: string | undefined
  controls: { id: string; relevant: Relevance; kind: ControlKind }[]
  repeats: NamedPart[]
}
interface NamedBlock {
  key: string
  version: number
  sections: NamedPart[]
}
export interface NamedForm {
  known: KnownForm
  body: TemplateBody
  blocks: NamedBlock[]
}

/** Builds the forms to publish. Their keys begin with `prefix`. */
export function formsOf({ blocks, forms }: Templates, prefix: string): NamedForm[] {
  const next = counter()
  const named = blocks.map(({ key, sections }) => namedBlock(`${prefix}b${key}`, next(`b${key}`), sections))
  return forms.map(form => {
    const all = form.blocks.flatMap(n => named[n % named.length] ?? [])
    const own = all.filter(({ key }, n) => all.findIndex(each => each.key === key) === n)
    const [key, version] = [`${prefix}f${form.key}`, next(`f${form.key}`)]
    const buildingBlocks = own.map(({ key, version, sections }) => ({ key, version, sections: sections.map(partBody) }))
    const body = { key, version, status: 'Production', title: 'Generated', buildingBlocks }
    return { known: { key, version, buildingBlocks: own.map(knownBlock) }, body, blocks: own }
  })
}

/** Builds simple forms, from building blocks with a single text each. */
export const plainForms = (blocks: number, forms: number[][]): NamedForm[] => {
  const text: Part = { relevant: 'always', controls: [{ kind: 0, relevant: 'always' }], repeats: [] }
  const all = Array.from({ length: blocks }, (_, key) => ({ key, sections: [text] }))
  return formsOf({ blocks: all, forms: forms.map((blocks, key) => ({ key, blocks })) }, '')
}

function counter(): (key: string) => number {
  const counts = new Map<string, number>()
  return key => counts.set(key, (counts.get(key) ?? 0) + 1).get(key) ?? 0
}

/** Builds a block. It begins with a gate, as does each repeat, and what follows depends on the gate of its own part. */
function namedBlock(key: string, version: number, sections: readonly Part[]): NamedBlock {
  const next = counter()
  const named = (one: Part, kind: 's' | 'r', outer: string | undefined): NamedPart => {
    const id = `${key}${kind}${next(kind)}`
    const own = kind === 'r' || outer === undefined ? `${id}gate` : undefined
    const first = own === undefined ? [] : [{ id: own, relevant: 'always' as const, kind: gate }]
    const rest = one.controls.flatMap(({ kind, relevant }) => {
      const known = controlKinds[kind]
      return known ? [{ id: `${key}c${next('c')}`, relevant, kind: known }] : []
    })
    // The first section comes before any gate, so its relevance cannot depend on one.
    const relevant = outer === undefined && one.relevant !== 'ward' ? 'always' : one.relevant
    const repeats = one.repeats.map(repeat => named(repeat, 'r', own ?? outer))
    return { id, relevant, gateId: outer, controls: [...first, ...rest], repeats }
  }
  const [first, ...more] = sections
  const head = first && named(first, 's', undefined)
  const gateId = head?.controls[0]?.id
  return { key, version, sections: head ? [head, ...more.map(one => named(one, 's', gateId))] : [] }
}

const conditionOf = (relevant: Relevance, control: string | undefined): object | undefined =>
  ({
    always: undefined,
    ward: { context: 'ward', equals: 'A' },
    open: { control, equals: true },
    unanswered: { control, answered: false },
  })[relevant]

const labelOf = (id: string) => `Label "${id}" <&>`

function partBody({ id, relevant, gateId, controls, repeats }: NamedPart): object {
  const [first] = controls
  const inside = first?.kind === gate ? first.id : gateId
  return {
    id,
    relevant: conditionOf(relevant, gateId),
    controls: controls.map(each => ({
      ...each.kind.control,
      id: each.id,
      label: labelOf(each.id),
      relevant: conditionOf(each.relevant, inside),
    })),
    repeats: repeats.map(repeat => ({ ...partBody(repeat), label: 'One' })),
  }
}

const allControls = (part: NamedPart): NamedPart['controls'] => [...part.controls, ...part.repeats.flatMap(allControls)]

const knownBlock = ({ key, version, sections }: NamedBlock): KnownBlock => ({
  key,
  version,
  controls: sections
    .flatMap(allControls)
    .filter(({ kind }) => kind.values.length > 0)
    .map(({ id, kind }) => ({ id, label: labelOf(id), dataType: kind.control.dataType })),
})

/** The values that are sent for a form, even for irrelevant controls, and what extracts show of them. */
export interface Filled {
  sent: Record<string, unknown>
  shown: ShownValues
}

/**
 * Fills in a form.
 * @param picks numbers, used in turn and again from the first, that choose each value (0 for none) and numbers of iterations.
 */
export function filledIn({ blocks }: NamedForm, picks: readonly number[], ward: string): Filled {
  const sent: Record<string, unknown> = {}
  const shown: ShownValues = {}
  let n = 0
  const pick = (max: number): number => (picks[n++ % picks.length] ?? 0) % (max + 1)
  const holds = (relevant: Relevance, gateValue: unknown): boolean =>
    ({ always: true, ward: ward === 'A', open: gateValue === 'true', unanswered: gateValue === undefined })[relevant]

  /** @returns the value of the part's gate, or of the surrounding gate if the part has none or is not relevant. */
  function fill(part: NamedPart, path: number[], isAround: boolean, outer: unknown): unknown {
    const isRelevant = isAround && holds(part.relevant, outer)
    let gateValue = outer
    for (const { id, relevant, kind } of part.controls) {
      if (kind.values.length === 0) continue
      const [given, content] = kind.values[pick(kind.values.length) - 1] ?? [null, { type: 'empty' }]
      if (path.length === 0) sent[id] = given
      else sent[id] = [...listIn(sent[id]), { repeatIterationPath: path, value: given }]
      if (!isRelevant || !holds(relevant, gateValue)) continue
      if (kind === gate) gateValue = content.value
      const nested = path.length > 1 ? { repeatIterationPath: path } : {}
      shown[id] = [...(shown[id] ?? []), { repeatIterationIndex: path.at(-1) ?? null, ...nested, ...content }]
    }
    for (const repeat of part.repeats) {
      const count = pick(2)
      for (let index = 0; index < count; index++) fill(repeat, [...path, index], isRelevant, gateValue)
    }
    return gateValue
  }

  for (const { sections } of blocks) {
    let gateValue: unknown
    for (const section of sections) gateValue = fill(section, [], true, gateValue)
  }
  return { sent, shown }
}

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
