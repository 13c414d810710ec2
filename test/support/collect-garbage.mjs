// Loaded into the API of a test stack: SIGUSR2 collects all garbage, so that a test sees what is really held.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => collect())
