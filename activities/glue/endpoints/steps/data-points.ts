// Makes a page of data points from the rows that a provider has answered.
import type { RespondStep } from '../../../../db/glue/endpoints/settings.js'
import { ExactNumber } from '../../../../runtime/json/exact-number.js'
import { pointerPart } from '../../../../runtime/problems/problem.js'
import { LinkElsewhere, linkedAddress } from '../../../providers/provider-request.js'
import { answeredNoRows, nextElsewhere } from '../step-problems.js'
import { evaluated, type StepContext } from './step.js'

/** A page as an endpoint with the capability structuredData answers it. */
interface Page {
  dataPoints: unknown[]
  next?: unknown
  /** The number of rows on all pages. Present if the endpoint declares one, null if the answer has none. */
  total?: unknown
}

/**
 * Makes a page of data points.
 * @param rows path of the list of rows. An answer without it fails the step: were it taken for an empty list, all rows of
 * the data set would vanish with a 200.
 * @throws Problem 502 that names the member that is missing, or if `row` does not make one data point of each row.
 */
export async function dataPoints(context: StepContext, { row, next, total }: RespondStep, rows: string): Promise<Page> {
  const list = listAt(context, rows)
  const made = row === undefined || list.length === 0 ? list : await evaluate(context, 'row', `[${rows}.(\n${row}\n)]`)
  if (!Array.isArray(made) || made.length !== list.length) {
    const count = Array.isArray(made) ? made.length : 0
    throw answeredNoRows(
      context.name,
      'wrong-type',
      pointerOf(rows),
      `\`row\` makes ${count} data points of ${list.length} rows`,
    )
  }
  const cursor = next === undefined ? null : await evaluate(context, 'next', next)
  return {
    dataPoints: made,
    ...(cursor === null ? {} : { next: followed(context, cursor) }),
    ...(total === undefined ? {} : { total: await evaluate(context, 'total', total) }),
  }
}

/**
 * Resolves the cursor if the endpoint uses it as the address of the next page. Returns it unchanged otherwise.
 * @throws Problem 502 if it leads to another host.
 */
function followed({ name, asked: { byCursor } }: StepContext, cursor: unknown): unknown {
  if (!byCursor || typeof cursor !== 'string' || cursor === '') return cursor
  const { url, provider } = byCursor
  if (!provider) return URL.canParse(cursor, url) ? new URL(cursor, url).href : cursor
  try {
    return linkedAddress(cursor, url, provider).href
  } catch (error) {
    throw error instanceof LinkElsewhere ? nextElsewhere(name, error.origin, provider) : error
  }
}

const evaluate = (context: StepContext, setting: 'row' | 'next' | 'total', expression: string): Promise<unknown> =>
  evaluated(context, setting, (evaluator, kind) =>
    evaluator.expression(context.run.tenantId, kind, expression, context.scope),
  )

/** The names of a path, without the backticks that JSONata needs around some of them. */
const namesOf = (path: string): string[] => path.match(/`[^`]+`|[^.]+/g)?.map(name => name.replaceAll('`', '')) ?? []

const pointerOf = (path: string): string =>
  namesOf(path)
    .map(name => `/${pointerPart(name)}`)
    .join('')

/**
 * Finds the list at a path.
 * @throws Problem 502 that names the first member that is missing, or that what stands there is no list.
 */
function listAt({ name: step, scope }: StepContext, path: string): unknown[] {
  let value: unknown = scope
  let at = ''
  for (const name of namesOf(path)) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject || value instanceof ExactNumber || !Object.hasOwn(Object(value), name)) {
      throw answeredNoRows(
        step,
        'required',
        `${at}/${pointerPart(name)}`,
        `there is nothing at ${path}: no member '${name}'`,
      )
    }
    value = Object(value)[name]
    at += `/${pointerPart(name)}`
  }
  if (!Array.isArray(value)) throw answeredNoRows(step, 'wrong-type', at, `what stands at ${path} is no list`)
  return value
}
