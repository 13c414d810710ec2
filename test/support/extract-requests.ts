// Makes random requests for extracts and runs them.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Api, Reply } from './api.js'
import { at } from './extract-history.js'
import type { AskedDefinition, AskedExtract, KnownForm } from './extract-model.js'
import { type Made, recordOf } from './extract-templates.js'
import { type ExtractBody, type ExtractResult, extractPath } from './extracts.js'

/** Makes a value optional: it is present `weight` times out of four. */
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>, weight = 1): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ withCrossShrink: true }, { arbitrary: fc.constant(undefined), weight: 4 - weight }, { arbitrary, weight })

const limit = fc.constantFrom(0, 1, 1, 2, 2, 3, 5, 9, 1_000, Number.MAX_SAFE_INTEGER)
/** A time at or near a recorded one: which of those, how many ms later, and how it is written. */
const moment = recordOf({
  of: fc.nat(40),
  after: fc.constantFrom(0, 1, -1, 0.4, -0.4),
  written: fc.constantFrom<'Z' | 'bare' | 'zone'>('Z', 'bare', 'zone'),
})

/** A random extract. Its numbers choose definitions, blocks and so on, modulo what exists when it runs. */
export const extractChoice = recordOf({
  definitions: fc.array(
    recordOf({
      isForm: fc.boolean(),
      form: fc.nat(5),
      block: fc.nat(5),
      // The bits choose blocks and controls.
      blocks: maybe(fc.nat(7), 2),
      controls: maybe(fc.nat(1_023), 2),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  from: maybe(moment),
  to: maybe(moment),
  subjects: maybe(
    fc.array(recordOf({ of: fc.nat(5), by: fc.constantFrom('id', 'externalId', 'nobody') }), {
      minLength: 1,
      maxLength: 3,
    }),
  ),
  /** Adds many unknown subjects, so that the database does not look up subjects by their index. */
  isCrowded: fc.constantFrom(false, false, false, true),
  maxResults: maybe(limit, 3),
  maxResultsPerDefinitionPerSubject: maybe(limit, 2),
  as: fc.constantFrom<'json' | 'ndjson'>('json', 'ndjson'),
  isWaiting: fc.constantFrom(true, true, true, false),
})
type ExtractChoice = Made<typeof extractChoice>

/** What exists for requests to choose from. */
interface Choices {
  forms: readonly KnownForm[]
  subjects: readonly { id: string; externalId: string }[]
  /** In ms since 1970. */
  moments: readonly number[]
}

/** Builds the body of a random extract. */
export function requestOf(choice: ExtractChoice, { forms, subjects, moments }: Choices): AskedExtract {
  const { definitions, maxResults, maxResultsPerDefinitionPerSubject } = choice
  const times = [choice.from, choice.to].map(moment => moment && at(moments, moment.of) + moment.after)
  const isCrossed = times[0] !== undefined && times[1] !== undefined && times[0] > times[1]
  const [from, to] = isCrossed ? times.toReversed() : times
  const named = choice.subjects?.map(({ of, by }) => (by === 'nobody' ? nobody(of) : at(subjects, of)[by]))
  const crowd = choice.isCrowded ? Array.from({ length: 1_001 }, (_, n) => nobody(n)) : []
  return {
    ...(named && { subjectIdentifiers: [...crowd, ...named] }),
    ...(from !== undefined && { from: written(from, choice.from?.written) }),
    ...(to !== undefined && { to: written(to, choice.to?.written) }),
    ...(maxResults !== undefined && { maxResults }),
    ...(maxResultsPerDefinitionPerSubject !== undefined && { maxResultsPerDefinitionPerSubject }),
    definitions: definitions.map((each, n) => definitionOf(each, at(forms, each.form), `d${n}`)),
  }
}

const nobody = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** Writes a time. @param time in ms since 1970. A fraction of a millisecond is written as further digits. */
function written(time: number, way: 'Z' | 'bare' | 'zone' = 'Z'): string {
  const whole = Math.floor(time)
  const beyond = time > whole ? String(Math.round((time - whole) * 1_000)).padStart(3, '0') : ''
  const shown = way === 'zone' ? whole + 90 * 60_000 : whole
  return new Date(shown).toISOString().replace('Z', `${beyond}${{ Z: 'Z', bare: '', zone: '+01:30' }[way]}`)
}

function definitionOf(
  { isForm, block: b, blocks, controls }: ExtractChoice['definitions'][number],
  { key, version, buildingBlocks }: KnownForm,
  identifier: string,
): AskedDefinition {
  const controlIds = (block: KnownForm['buildingBlocks'][number]) => {
    const ids = controls === undefined ? [] : chosen(block.controls, controls).map(({ id }) => id)
    return ids.length > 0 ? { controlIds: ids } : {}
  }
  if (!isForm) {
    const block = at(buildingBlocks, b)
    return { identifier, type: 'building-block', key: block.key, version: block.version, ...controlIds(block) }
  }
  const some = blocks === undefined ? [] : chosen(buildingBlocks, blocks)
  const narrowed =
    some.length > 0 ? { buildingBlocks: some.map(block => ({ key: block.key, ...controlIds(block) })) } : {}
  return { identifier, type: 'form', key, version, ...narrowed }
}

/** Returns the items whose bits are set, the last first. */
const chosen = <Item>(all: readonly Item[], bits: number): Item[] =>
  all.filter((_, n) => (bits >> (n % 10)) & 1).toReversed()

/** The answer to an extract. */
export interface Answered {
  /** Cut-off time, in ms since 1970. */
  instant: number
  body: ExtractBody
  /** Reads its result again. */
  again(): Promise<ExtractBody>
}

/**
 * Runs a random extract in the chosen way: as JSON or NDJSON, and either in one request or as a job, whose result is read when
 * a repetition of the request shows that it has ended.
 */
export async function answerOf(
  client: Api,
  asked: AskedExtract,
  { as, isWaiting }: Pick<ExtractChoice, 'as' | 'isWaiting'>,
): Promise<Answered> {
  const accept = as === 'json' ? 'application/json' : 'application/x-ndjson'
  const headers = { accept, 'idempotency-key': randomUUID() }
  if (!isWaiting) {
    const { status, body } = await client.post(extractPath, asked, { ...headers, prefer: 'respond-async' })
    expect(status, JSON.stringify(body)).toBe(202)
  }
  const answer = await client.post<ExtractBody>(extractPath, asked, headers)
  const job = answer.headers.get('location') ?? ''
  const again = () => client.get<ExtractBody>(`${job}/result`, { accept })
  const result = isWaiting ? answer : await again()
  return {
    instant: Date.parse(result.headers.get('extract-instant') ?? ''),
    body: bodyOf(result, asked),
    again: async () => bodyOf(await again(), asked),
  }
}

/** Reads the body of an answer, which is JSON or NDJSON. Lines must be in the order of the definitions. */
export function bodyOf(answer: Pick<Reply, 'status' | 'body'>, { definitions }: AskedExtract): ExtractBody {
  const { body } = answer
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(body)}`)
  if (typeof body !== 'string') return Object(body)
  const lines: (ExtractResult & { identifier: string; type: string })[] = body
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  const order = lines.map(({ identifier }) => definitions.findIndex(each => each.identifier === identifier))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  return {
    results: definitions.map(({ identifier, type }) => ({
      identifier,
      type,
      results: lines.flatMap(({ identifier: own, type: kind, ...result }) =>
        own === identifier && kind === type ? [result] : [],
      ),
    })),
  }
}
