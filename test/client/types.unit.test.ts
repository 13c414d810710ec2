// The client knows which calls take an Idempotency-Key.
import { expect, test } from 'vitest'
import { idempotentCalls } from '../../client/idempotent-calls.js'
import { describedApi } from '../../dev/description.js'

interface Operation {
  parameters?: { name?: string; $ref?: string }[]
}

test('the client sends an Idempotency-Key with exactly the calls whose description has one', async () => {
  const { paths }: { paths: Record<string, Record<string, Operation>> } = Object(await describedApi())
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === 'Idempotency-Key'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
  expect([...idempotentCalls].sort()).toEqual(described.sort())
})
