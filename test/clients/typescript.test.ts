// The TypeScript client of openapi-typescript and openapi-fetch.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'
import { testGeneratedClient } from '../support/generated-client.js'

testGeneratedClient('typescript', async () => {
  const [served, built] = await Promise.all(
    ['.data/clients/typescript/api.ts', 'client/api.ts'].map(file => readFile(join(projectRoot, file), 'utf8')),
  )
  expect(built === served, 'client/api.ts has the types of the description that the running API serves').toBe(true)
})
