// A child process that evaluates expressions.
import { join } from 'node:path'
import pino from 'pino'
import { projectRoot } from '../../dev/programs.js'

/** Tests run from the sources; a process of expressions is loaded as it is built. */
export const expressionProcess = join(projectRoot, 'dist', 'runtime', 'expression-process.js')

/** Of an evaluation in a test's own process. */
export const quietly = { log: pino({ level: 'silent' }), file: expressionProcess }
