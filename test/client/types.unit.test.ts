// client/api.ts is made of the description that the source makes.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { descriptionDigest, idempotentCalls } from '../../client/api.js'
import { describedApi } from '../../dev/description.js'

test('the types are those of the present description: npm run client writes them', async () => {
  const { paths, components } = Object(await describedApi())
  const digest = createHash('sha256')
    .update(JSON.stringify([paths, components.schemas]))
    .digest('hex')
  expect(descriptionDigest, 'client/api.ts is out of date: npm run client').toBe(digest)
  expect(idempotentCalls.size).toBeGreaterThan(10)
})
