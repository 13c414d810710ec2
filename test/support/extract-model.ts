// A model of multi extracts, written from the specification alone.
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { ControlResult, ExtractBody, ExtractedValue, ExtractResult } from './extracts.js'

/** A building block with those of its controls that can have a value, in their order. */
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

/** Values of the relevant controls as extracts show them, keyed by control id. */
export type ShownValues = Record<string, ExtractedValue[]>

/** A change to an instance. `at` is its time as reported by the API, in ms since 1970; changes without it do not count. */
export type Deed =
  | { did: 'submit'; at: number; by: string; values: ShownValues }
  | { did: 'withdraw' | 'reinstate'; at: number }
  | { did: 'draft' | 'amend' | 'discard' }

export interface KnownInstance {
  guid: string
  subject: { id: string; externalId: string }
  form: KnownForm
  correlationId?: string | undefined
  /** All changes, in order. */
  deeds: Deed[]
}

/** A definition in a request, perhaps narrowed to some building blocks and controls. */
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

/** A submission that is a result of a definition. */
interface Found {
  instance: KnownInstance
  submission: Extract<Deed, { did: 'submit' }>
}

/**
 * Answers extracts as the specification says (forms "Limiting rules", "Extract result records"). It shares no code with the
 * product and simply goes through all instances each time.
 */
export const extractModel = (instances: readonly KnownInstance[]) => ({
  /** @param instant cut-off time of the extract, in ms since 1970. Only changes before it count. */
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

/** Finds the submission that counts at the instant: the latest one before it, unless the instance is withdrawn by then. */
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
    ...(correlationId === undefined ? {} : { correlationId }),
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

/** Parses a time to ms since 1970, keeping further digits as a fraction. Without a zone it is UTC. */
function momentOf(text: string): number {
  const [, whole = '', beyond = '', zone = 'Z'] = /^(.+?T[\d:]+(?:\.\d{1,3})?)(\d*)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  return Date.parse(whole + zone) + Number(`0.${beyond}`)
}

/** Describes the first difference in the results of each definition. Empty if there is none. */
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

/** Asserts that an extract was answered as the model says. */
export function agree(actual: ExtractBody, expected: ExtractBody, asked: AskedExtract): void {
  // `toEqual` is slow but explains differences, so it is only called when there are some.
  if (!isDeepStrictEqual(actual, expected)) expect(actual, JSON.stringify(asked).slice(-2_000)).toEqual(expected)
}
