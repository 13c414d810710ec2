// The pipeline step `transform`, which turns JSON into other JSON by an expression.
import { evaluated, type StepContext } from './step.js'

/**
 * Evaluates the expression.
 * @throws Problem that names the step.
 */
export const transform = (context: StepContext, { expression }: { expression: string }): Promise<unknown> =>
  evaluated(context, 'expression', (evaluator, kind) =>
    evaluator.expression(context.run.tenantId, kind, expression, context.scope),
  )
