// Extracts under faults, compared with a model.
import type { Knex } from 'knex'
import type { Reply } from './api.js'
import { type Asked, differencesOf, expectedResults, type Limits, type Practice } from './extract-practice.js'
import type { ExtractBody, ExtractResult } from './extracts.js'
import { blockAsked, formAsked } from './form-factories.js'
import { until } from './until.js'

/** Definitions of every kind, each with results. */
export const allAsked: Asked[] = [
  formAsked('visit'),
  blockAsked('extra'),
  formAsked('call', { identifier: 'reasons', buildingBlocks: [{ key: 'general', controlIds: ['reason'] }] }),
  blockAsked('general', { controlIds: ['findings'] }),
  formAsked('visit', { identifier: 'again' }),
]

/** Resolves when so many definitions of an extract are listed. @throws Error when it has ended before. */
export const listed = (db: Knex, jobId: string, definitions: number): Promise<boolean> =>
  until(`${definitions} definitions are listed`, async () => {
    const job = await db('jobs')
      .where({ id: jobId })
      .first('status', 'done')
      .catch(() => undefined)
    if (job && !['Accepted', 'Running'].includes(job.status)) throw new Error(`The extract is ${job.status}`)
    return job?.done === definitions
  })

/** Reads an answer; when its first bytes are there, something happens. @returns whether it was broken off. */
export async function isBrokenOff(answer: Response, meanwhile: () => Promise<unknown>): Promise<boolean> {
  if (answer.status !== 200 || !answer.body) throw new Error(`${answer.status}: ${await answer.text()}`)
  const reader = answer.body.getReader()
  await reader.read()
  await meanwhile()
  try {
    for (;;) if ((await reader.read()).done) return false
  } catch {
    return true
  }
}

/** Compares an answer with what counted at the instant that it names. @returns the differences in words. */
export function judged(
  { lives }: Pick<Practice, 'lives'>,
  { status, headers, body }: Reply<ExtractBody>,
  asked: readonly Asked[] = allAsked,
  limits: Limits = {},
): string[] {
  if (status !== 200) return [`${status}: ${JSON.stringify(body)}`]
  const found = body.results.map(({ results }) => results)
  return differencesOf(found, expectedResults(lives, asked, instantOf(headers), limits))
}

/** The same of an answer of a line each result. */
export function judgedLines({ lives }: Pick<Practice, 'lives'>, { headers, body }: Reply<string>): string[] {
  const found = new Map(allAsked.map(({ identifier }) => [identifier, [] as ExtractResult[]]))
  for (const line of body.trimEnd().split('\n')) {
    const { identifier, type: _, ...result } = JSON.parse(line)
    found.get(identifier)?.push(result)
  }
  return differencesOf([...found.values()], expectedResults(lives, allAsked, instantOf(headers)))
}

/** In ms since 1970. */
export const instantOf = (headers: Headers): number => Date.parse(headers.get('extract-instant') ?? '')
