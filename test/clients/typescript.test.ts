// The TypeScript client of openapi-typescript and openapi-fetch.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { projectRoot } from '../../dev/programs.js'
import { testGeneratedClient } from '../support/generated-client.js'

testGeneratedClient('typescript', async () => {
  const [made, committed] = await Promise.all(
    ['.data/clients/typescript/api.ts', 'client/api.ts'].map(file => readFile(join(projectRoot, file), 'utf8')),
  )
  expect(made === committed, 'client/api.ts is what the generator makes: npm run client').toBe(true)
})
