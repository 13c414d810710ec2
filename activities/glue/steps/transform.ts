import { evaluate } from '../../../runtime/expressions.js'
import { notEvaluated } from '../step-problems.js'
import type { StepContext } from './step.js'

/** Makes JSON of JSON. @throws Problem that names the step. */
export async function transform({ name, scope }: StepContext, step: { expression: string }): Promise<unknown> {
  return evaluate(step.expression, scope).catch(error => {
    throw notEvaluated(name, error)
  })
}
