// The end of every hostile expression.
import { expect, test } from 'vitest'
import { NotEvaluated } from '../../runtime/expressions/parsed-texts.js'
import { startEvaluator } from '../support/expressions.js'
import { hostileExpressions } from './expressions.js'

const evaluator = startEvaluator()
let tenant = 0
/** As a tenant of its own: after an expression that was ended the next one of its tenant waits. */
const evaluate = (text: string, scope: object) => evaluator.expression(++tenant, 'request', text, scope)

test.each(hostileExpressions)('an expression is ended by $name: $why', async ({ expression, body, why }) => {
  const failed = await evaluate(expression, { request: { body } }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(NotEvaluated)
  expect(failed).toMatchObject({ message: expect.stringContaining(why) })
})
