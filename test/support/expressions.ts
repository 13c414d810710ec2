// Data for tests of expressions, and the child process that evaluates them.
import { join } from 'node:path'
import type { Place } from '../../runtime/expressions/escaped-output.js'
import { createEvaluator } from '../../runtime/expressions/expressions.js'
import { render } from '../../runtime/expressions/templates.js'
import { parseJsonAsWritten, parseLosslessJson } from '../../runtime/json/exact-json.js'
import { projectRoot } from '../../runtime/process/version.js'

/** The built program. Tests run from the sources, but the child process cannot. */
export const expressionProcess = join(projectRoot, 'dist', 'runtime', 'expressions', 'expression-process.js')

/** Creates an evaluator whose child processes run the built program. */
export const startEvaluator = () => createEvaluator(expressionProcess)

/** An evaluator that the files of a test process share: a child process takes a quarter of a second of processor time to start. */
export const sharedEvaluator = startEvaluator()

/** Renders a template as the child processes do, but in this process, with little memory. */
export const rendered = (text: string, scope: object, place: Place = 'text'): string =>
  render(text, scope, place, { memory: 5_000, longest: 4_000_000 })

/** Variables like those that a small endpoint has. */
export const scope = {
  request: {
    method: 'POST',
    query: { 'x-y': ['1', '2'] },
    body: { name: 'Zoë "Z"', none: null, list: [1, { a: 2 }], yes: true },
  },
  variables: { base: 'https://example.org' },
  steps: { first: { status: 200, body: { id: 7 } } },
}

/** Variables with numbers that a double would write otherwise. */
export const writtenScope = {
  steps: parseJsonAsWritten('{"list":{"rows":[{"w":77.50,"n":1.0,"zero":0.0},{"w":9.50,"n":2.00,"zero":0.0}]}}'),
}

/** Variables with numbers that a double cannot represent. */
export const exactScope = {
  steps: parseLosslessJson(`{"list":{"rows":[
    {"id":9007199254740993,"weight":72.66666666666666666667,"n":2},
    {"id":9007199254740992,"weight":1.5,"n":3},
    {"id":12345678901234567890,"weight":10,"n":1}]}}`),
}
