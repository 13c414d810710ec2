import { notEvaluated } from '../step-problems.js'
import type { StepContext } from './step.js'

/** Makes JSON of JSON. @throws Problem that names the step. */
export async function transform(
  { name, at, scope, run, evaluate, until }: StepContext,
  step: { expression: string },
): Promise<unknown> {
  return evaluate(run.tenantId, until === 'request' ? 'request' : 'job', step.expression, scope).catch(error => {
    throw notEvaluated(name, `${at}/expression`, error)
  })
}
