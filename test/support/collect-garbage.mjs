// Loaded into the API of a test stack. On SIGUSR2 it collects all garbage, so that a test can measure the memory in use.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => collect())
