import { join } from 'node:path'
import { projectRoot } from '../../dev/programs.js'

/** Tests run from the sources; a process of expressions is loaded as it is built. */
export const expressionProcess = join(projectRoot, 'dist', 'runtime', 'expression-process.js')
