import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type EndpointTenant, glueTenant } from '../support/factories.js'

import { sharedStack } from '../support/running-stack.js'
import { hostileExpressions } from './expressions.js'

const { api } = sharedStack()
let tenant: EndpointTenant
let pid: number | undefined
let slowest = 0
let stop = false
let watched: Promise<void>

beforeAll(async () => {
  const endpoints = hostileExpressions.map(({ expression }, n) => ({
    key: `e${n}`,
    steps: [{ name: 'hostile', transform: { expression } }],
  }))
  tenant = await glueTenant({ endpoints })
  pid = api.pid
  const watch = async () => {
    while (!stop) {
      const asked = performance.now()
      await fetch(`${inject('baseUrl')}/health/live`)
      slowest = Math.max(slowest, performance.now() - asked)
    }
  }
  watched = watch()
})
afterAll(async () => {
  stop = true
  await watched
})

test.each(hostileExpressions.map(({ name, body }, n) => [name, `e${n}`, body] as const))(
  '%s in an expression ends the step, not the process',
  async (_, endpoint, body) => {
    expect(await tenant.call(endpoint, body)).toMatchObject({
      status: 500,
      body: {
        type: '/problems/endpoint-failed',
        detail: "The step 'hostile' cannot be carried out. Please report the trace id.",
      },
    })
    expect(api.pid).toBe(pid)
  },
)

test('nobody else waits for a hostile expression', () => {
  // The rule is 250 ms; tests share two cores with what they test.
  expect(slowest).toBeLessThan(1_000)
})
