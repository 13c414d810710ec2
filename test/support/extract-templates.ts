// Templates with building blocks for extract tests.
import fc from 'fast-check'
import { type Made, recordOf } from './arbitraries.js'
import { type ControlKind, controlKinds, gate } from './control-kinds.js'
import type { KnownBlock, KnownForm, ShownValues } from './extract-model.js'
import type { TemplateBody } from './forms.js'

/** Whether a part is relevant: always, in ward A, where the gate before it is true, or where that is not answered. */
type Relevance = 'always' | 'ward' | 'open' | 'unanswered'
const relevance = fc.constantFrom<Relevance>('always', 'always', 'always', 'ward', 'open', 'unanswered')

interface Part {
  relevant: Relevance
  /** Each control by its number in {@link controlKinds}. */
  controls: { kind: number; relevant: Relevance }[]
  repeats: Part[]
}

const some = (most: number) => ({ maxLength: most, size: 'max' }) as const
const controls = fc.array(recordOf({ kind: fc.nat(controlKinds.length - 1), relevant: relevance }), some(3))
const part = (repeats: fc.Arbitrary<Part[]>): fc.Arbitrary<Part> => recordOf({ relevant: relevance, controls, repeats })
const inRepeats = fc.array(part(fc.array(part(fc.constant([])), some(1))), some(1))

/** What a tenant has in production: blocks, and forms of some of them. Those of the same key are versions of it. */
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
  /** Of what stands around it. */
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

/** Forms to publish, under keys that begin with `prefix`. */
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

/** Blocks of one text each, and forms of them, for what needs no more. */
export const plainForms = (blocks: number, forms: number[][]): NamedForm[] => {
  const text: Part = { relevant: 'always', controls: [{ kind: 0, relevant: 'always' }], repeats: [] }
  const all = Array.from({ length: blocks }, (_, key) => ({ key, sections: [text] }))
  return formsOf({ blocks: all, forms: forms.map((blocks, key) => ({ key, blocks })) }, '')
}

function counter(): (key: string) => number {
  const counts = new Map<string, number>()
  return key => counts.set(key, (counts.get(key) ?? 0) + 1).get(key) ?? 0
}

/** A gate comes first in a block, and in each repeat; what follows in it looks at that one. */
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
    // Nothing stands before the first section that it could look at.
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

/** What is sent for a form, also for what is not relevant, and what extracts show of it. */
export interface Filled {
  sent: Record<string, unknown>
  shown: ShownValues
}

/**
 * Fills a form in.
 * @param picks decide, one after the other and again from the first, what is entered (0: nothing) and how often it repeats.
 */
export function filledIn({ blocks }: NamedForm, picks: readonly number[], ward: string): Filled {
  const sent: Record<string, unknown> = {}
  const shown: ShownValues = {}
  let n = 0
  const pick = (most: number): number => (picks[n++ % picks.length] ?? 0) % (most + 1)
  const holds = (relevant: Relevance, gateValue: unknown): boolean =>
    ({ always: true, ward: ward === 'A', open: gateValue === 'true', unanswered: gateValue === undefined })[relevant]

  /** @returns the value of its gate, or of the one around it where it has none or is not relevant. */
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
