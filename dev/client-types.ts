// `npm run client`: writes client/api.ts, the types of armature/client, from the description that the source makes.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describedApi } from './description.js'
import { apiTypes } from './generated-clients.js'
import { projectRoot, StartProblem } from './programs.js'

const directory = await mkdtemp(join(tmpdir(), 'armature-client-'))
try {
  const description = join(directory, 'openapi.json')
  await writeFile(description, JSON.stringify(await describedApi()))
  await apiTypes(description, join(projectRoot, 'client', 'api.ts'))
  console.log('client/api.ts is written.')
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await rm(directory, { recursive: true, force: true })
}
