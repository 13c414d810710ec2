// A model of multi extracts, from the specification.
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { ControlResult, ExtractBody, ExtractedValue, ExtractResult } from './extracts.js'

/** A building block as extracts know it, with its controls that could have a value, in its order. */
export interface KnownBlock {
  key: string
  version: number
  controls: Omit<ControlResult, 'values'>[]
}

export interface KnownForm {
  key: string
  version: number
  buildingBlocks: KnownBlock[]
}

/** As extracts show them, by control id, of the controls that were relevant. */
export type ShownValues = Record<string, ExtractedValue[]>

/** What was done to an instance; `at`: the time that the API answered, in ms since 1970. What has none changes nothing. */
export type Deed =
  | { did: 'submit'; at: number; by: string; values: ShownValues }
  | { did: 'withdraw' | 'reinstate'; at: number }
  | { did: 'draft' | 'amend' | 'discard' }

export interface KnownInstance {
  guid: string
  subject: { id: string; externalId: string }
  form: KnownForm
  correlationId: string | null
  /** In the order in which they were done. */
  deeds: Deed[]
}

/** A definition of a request, narrowed or not. */
export interface AskedDefinition {
  identifier: string
  type: 'form' | 'building-block'
  key: string
  version: number
  buildingBlocks?: { key: string; controlIds?: string[] }[]
  controlIds?: string[]
}

/** The body of a multi extract (spec forms "Multi extract"). */
export interface AskedExtract {
  subjectIdentifiers?: string[]
  from?: string
  to?: string
  maxResults?: number
  maxResultsPerDefinitionPerSubject?: number
  definitions: AskedDefinition[]
}

/** A submission under a definition. */
interface Found {
  instance: KnownInstance
  submission: Extract<Deed, { did: 'submit' }>
}

/**
 * What extracts must answer, by the words of the specification (forms "Limiting rules", "Extract result records") and by no
 * code of ours: it goes through all that it was told, each time.
 */
export const extractModel = (instances: readonly KnownInstance[]) => ({
  /** @param instant of the extract, in ms since 1970: what was done before it counts. */
  answer(asked: AskedExtract, instant: number): ExtractBody {
    const lists = asked.definitions.map(definition => {
      const all = found(instances, definition, asked, instant).sort(mostRecentFirst)
      return firstOfEachSubject(all, asked.maxResultsPerDefinitionPerSubject)
    })
    const places = lists.flatMap((list, n) => list.map(one => ({ ...one, n })))
    // The sort is stable: where one instance is a result of several definitions, the earlier definition comes first.
    const kept = places.sort(mostRecentFirst).slice(0, asked.maxResults)
    return {
      results: asked.definitions.map((definition, n) => ({
        identifier: definition.identifier,
        type: definition.type,
        results: kept.filter(one => one.n === n).map(one => resultOf(definition, one)),
      })),
    }
  },
})

/** What counts at the instant: the latest submission before it, of an instance that is not withdrawn then. */
export function reportedAt({ deeds }: KnownInstance, instant: number): Found['submission'] | undefined {
  let submission: Found['submission'] | undefined
  let isWithdrawn = false
  for (const deed of deeds) {
    if (!('at' in deed) || deed.at >= instant) continue
    if (deed.did === 'submit') submission = deed
    else isWithdrawn = deed.did === 'withdraw'
  }
  return isWithdrawn ? undefined : submission
}

function found(
  instances: readonly KnownInstance[],
  definition: AskedDefinition,
  { from, to, subjectIdentifiers }: AskedExtract,
  instant: number,
): Found[] {
  const [first, end] = [from ? momentOf(from) : -Infinity, to ? momentOf(to) : Infinity]
  const named = subjectIdentifiers && new Set(subjectIdentifiers.map(each => each.toLowerCase()))
  return instances.flatMap(instance => {
    const { subject, form } = instance
    const submission = reportedAt(instance, instant)
    if (!submission || submission.at < first || submission.at >= end) return []
    if (named && !named.has(subject.id) && !named.has(subject.externalId)) return []
    return isResult(definition, form, submission.values) ? [{ instance, submission }] : []
  })
}

/** Submissions of a form are its results with and without data; those of a building block only with data. */
function isResult({ type, key, version }: AskedDefinition, form: KnownForm, values: ShownValues): boolean {
  if (type === 'form') return form.key === key && form.version === version
  const block = form.buildingBlocks.find(each => each.key === key && each.version === version)
  return block?.controls.some(({ id }) => values[id]?.some(value => value.type !== 'empty')) ?? false
}

const mostRecentFirst = (a: Found, b: Found): number =>
  b.submission.at - a.submission.at ||
  (a.instance.guid < b.instance.guid ? -1 : Number(a.instance.guid > b.instance.guid))

function firstOfEachSubject(list: readonly Found[], max = Infinity): Found[] {
  const counts = new Map<string, number>()
  return list.filter(({ instance: { subject } }) => {
    const count = (counts.get(subject.id) ?? 0) + 1
    counts.set(subject.id, count)
    return count <= max
  })
}

function resultOf(definition: AskedDefinition, { instance, submission }: Found): ExtractResult {
  const { guid, subject, correlationId, form } = instance
  const head = {
    instanceGuid: guid,
    subjectIdentifier: subject.id,
    submittedByUserIdentifier: submission.by,
    submissionDateTime: new Date(submission.at).toISOString(),
    correlationId,
  }
  const controlsOf = ({ controls }: KnownBlock, ids: string[] | undefined): ControlResult[] =>
    controls
      .filter(({ id }) => !ids || ids.includes(id))
      .map(control => ({ ...control, values: submission.values[control.id] ?? [] }))
  if (definition.type === 'building-block') {
    const block = form.buildingBlocks.find(({ key }) => key === definition.key)
    return { ...head, controls: block ? controlsOf(block, definition.controlIds) : [] }
  }
  const buildingBlocks = form.buildingBlocks.flatMap(block => {
    const selected = definition.buildingBlocks?.find(({ key }) => key === block.key)
    if (definition.buildingBlocks && !selected) return []
    return [{ key: block.key, controls: controlsOf(block, selected?.controlIds) }]
  })
  return { ...head, buildingBlocks }
}

/** In ms since 1970, with a fraction where it has more than three digits; UTC where it names no zone. */
function momentOf(text: string): number {
  const [, whole = '', beyond = '', zone = 'Z'] = /^(.+?T[\d:]+(?:\.\d{1,3})?)(\d*)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  return Date.parse(whole + zone) + Number(`0.${beyond}`)
}

/** Says the first difference in each definition's results, in words; empty when all is right. */
export function differencesOf({ results: found }: ExtractBody, { results: wanted }: ExtractBody): string[] {
  return wanted.flatMap(({ identifier, results }, n) => {
    const shown = found[n]?.results ?? []
    const odd = Array.from({ length: Math.max(results.length, shown.length) }).findIndex(
      (_, at) => !isDeepStrictEqual(shown[at], results[at]),
    )
    if (odd === -1) return []
    const [is, must] = [shown[odd], results[odd]].map(each => JSON.stringify(each)?.slice(0, 400))
    return [`${identifier}, ${shown.length} results, must be ${results.length}: at ${odd} is ${is}, must be ${must}`]
  })
}

/** Insists that an extract was answered as the model says. */
export function agree(actual: ExtractBody, expected: ExtractBody, asked: AskedExtract): void {
  // Quick where it is the same, and readable where it is not.
  if (!isDeepStrictEqual(actual, expected)) expect(actual, JSON.stringify(asked).slice(-2_000)).toEqual(expected)
}
