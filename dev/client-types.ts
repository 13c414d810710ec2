// Part of `npm run build`: generates client/api.ts, the types of armature/client, from the API description in the source, and
// then emits the declarations of the packages that other programs import.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../runtime/process/version.js'
import { describedApi } from './description.js'
import { apiTypes, generator } from './generated-clients.js'
import { run, StartProblem } from './programs.js'

const types = join(projectRoot, 'client', 'api.ts')
const stamp = join(projectRoot, 'dist', 'client', '.described')

const directory = await mkdtemp(join(tmpdir(), 'armature-client-'))
try {
  const description = JSON.stringify(await describedApi())
  const inputs = createHash('sha256').update(description).update(readFileSync(generator)).digest('hex')
  if (!existsSync(types) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== inputs) {
    const file = join(directory, 'openapi.json')
    await writeFile(file, description)
    await apiTypes(file, types)
    await writeFile(stamp, inputs)
  }
  const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = ['--noCheck', '--project', join(projectRoot, 'client')]
  await run(process.execPath, [compiler, ...project], { logFile: join(directory, 'tsc.log'), cwd: projectRoot })
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await rm(directory, { recursive: true, force: true })
}
