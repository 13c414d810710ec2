// A child process that evaluates expressions, and what those are evaluated on.
import { join } from 'node:path'
import pino from 'pino'
import { projectRoot } from '../../dev/programs.js'
import { parseLosslessJson } from '../../runtime/json/exact-json.js'

/** Tests run from the sources; a process of expressions is loaded as it is built. */
export const expressionProcess = join(projectRoot, 'dist', 'runtime', 'expressions', 'expression-process.js')

/** Of an evaluation in a test's own process. */
export const quietly = { log: pino({ level: 'silent' }), file: expressionProcess }

/** What a small endpoint gives its texts. */
export const scope = {
  request: {
    method: 'POST',
    query: { 'x-y': ['1', '2'] },
    body: { name: 'Zoë "Z"', none: null, list: [1, { a: 2 }], yes: true },
  },
  variables: { base: 'https://example.org' },
  steps: { first: { status: 200, body: { id: 7 } } },
}

/** With numbers that no double holds. */
export const exactScope = {
  steps: parseLosslessJson(`{"list":{"rows":[
    {"id":9007199254740993,"weight":72.66666666666666666667,"n":2},
    {"id":9007199254740992,"weight":1.5,"n":3},
    {"id":12345678901234567890,"weight":10,"n":1}]}}`),
}
