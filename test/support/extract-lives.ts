import { isDeepStrictEqual } from 'node:util'
import type { ExtractResult } from './extracts.js'
import { aTemplate } from './forms.js'

/** What a person has filled in, by control id. */
export type Filled = Record<string, string>

/** A time during which a submission counts. Times in ms since 1970; `until` is infinite where it still counts. */
interface Span {
  from: number
  until: number
  submittedAt: number
  submittedBy: string
  filled: Filled
}

/** An instance with all that was ever submitted of it, by the times that the API has answered: what extracts are judged by. */
export interface Life {
  id: string
  subjectId: string
  formKey: keyof typeof lifeForms
  correlationId: string | null
  spans: Span[]
}

/** Controls by building block. */
const lifeBlocks = { general: ['reason', 'findings'], extra: ['plan'] }

/** Building blocks by form. `extra` may be left empty; `general` is in both forms. */
export const lifeForms = { visit: ['general', 'extra'], call: ['general'] } as const

const labelOf = (control: string) => `The ${control}`

export const blockControls = (block: string): readonly string[] =>
  block === 'general' ? lifeBlocks.general : lifeBlocks.extra

/** The forms as their author writes them. */
export const lifeTemplates = Object.entries(lifeForms).map(([key, blocks]) =>
  aTemplate({
    key,
    buildingBlocks: blocks.map(block => ({
      key: block,
      sections: [{ id: block, controls: blockControls(block).map(id => ({ id, label: labelOf(id) })) }],
    })),
  }),
)

/** A definition of an extract, as far as these tests ask. */
export interface Asked {
  identifier: string
  type: string
  key: string
  buildingBlocks?: { key: string; controlIds?: string[] }[]
  controlIds?: string[]
}

export interface Limits {
  /** Of submissions, in ms since 1970. */
  from?: number
  maxResults?: number
  maxResultsPerDefinitionPerSubject?: number
}

interface Counting {
  life: Life
  span: Span
  definition: number
}

/** What an extract must answer as of an instant (spec forms "Limiting rules"): the results of each definition. */
export function expectedResults(
  lives: Iterable<Life>,
  asked: readonly Asked[],
  instant: number,
  limits: Limits = {},
): ExtractResult[][] {
  const { from: first = 0, maxResults = Number.POSITIVE_INFINITY } = limits
  const { maxResultsPerDefinitionPerSubject: most = maxResults } = limits
  const counting = [...lives].flatMap(life => {
    const span = life.spans.find(({ from, until }) => from < instant && instant <= until)
    return span && span.submittedAt >= first ? [{ life, span }] : []
  })
  const each = asked.map((definition, n) => {
    const before = new Map<string, number>()
    return counting
      .filter(({ life, span }) => isShown(definition, life, span))
      .map(each => ({ ...each, definition: n }))
      .sort(inOrder)
      .filter(({ life }) => {
        const nth = before.get(life.subjectId) ?? 0
        before.set(life.subjectId, nth + 1)
        return nth < most
      })
  })
  const taken = new Set(each.flat().sort(inOrder).slice(0, maxResults))
  return each.map((list, n) => list.filter(one => taken.has(one)).map(one => resultOf(asked[n], one)))
}

function isShown({ type, key }: Asked, { formKey }: Life, { filled }: Span): boolean {
  if (type === 'form') return key === formKey
  return lifeForms[formKey].some(block => block === key) && blockControls(key).some(id => id in filled)
}

/** The most recent first. */
const inOrder = (a: Counting, b: Counting): number =>
  b.span.submittedAt - a.span.submittedAt ||
  (a.life.id < b.life.id ? -1 : a.life.id > b.life.id ? 1 : 0) ||
  a.definition - b.definition

function resultOf(asked: Asked | undefined, { life, span }: Counting): ExtractResult {
  const { submittedAt, submittedBy, filled } = span
  const controlsOf = (block: string, ids = blockControls(block)) =>
    ids.map(id => {
      const held = filled[id]
      const content = held === undefined ? { type: 'empty' } : { type: 'single-value', value: held }
      return { id, label: labelOf(id), dataType: 'string', values: [{ ...content, repeatIterationIndex: null }] }
    })
  const chosen: Asked['buildingBlocks'] = asked?.buildingBlocks ?? lifeForms[life.formKey].map(key => ({ key }))
  return {
    instanceGuid: life.id,
    subjectIdentifier: life.subjectId,
    submittedByUserIdentifier: submittedBy,
    submissionDateTime: new Date(submittedAt).toISOString(),
    correlationId: life.correlationId,
    ...(asked?.type === 'form'
      ? { buildingBlocks: chosen.map(({ key, controlIds }) => ({ key, controls: controlsOf(key, controlIds) })) }
      : { controls: controlsOf(asked?.key ?? '', asked?.controlIds) }),
  }
}

/** The first difference between the results of each definition and what they must be, in words; empty when all is right. */
export function differencesOf(found: readonly ExtractResult[][], wanted: readonly ExtractResult[][]): string[] {
  return wanted.flatMap((list, n) => {
    const shown = found[n] ?? []
    const odd = Array.from({ length: Math.max(list.length, shown.length) }).findIndex(
      (_, at) => !isDeepStrictEqual(shown[at], list[at]),
    )
    if (odd === -1) return []
    const [is, must] = [shown[odd], list[odd]].map(each => JSON.stringify(each)?.slice(0, 400))
    return [`Definition ${n}, ${shown.length} results, must be ${list.length}: at ${odd} is ${is}, must be ${must}`]
  })
}
