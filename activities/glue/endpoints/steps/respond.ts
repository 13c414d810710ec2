// The pipeline step `respond`, which makes the answer of the endpoint.
import type { RespondStep } from '../../../../db/glue/endpoints/settings.js'
import { placeOfBody } from '../../../../runtime/expressions/escaped-output.js'
import type { GlueAnswer } from '../../../../workflows/glue/contracts.js'
import { dataPoints } from './data-points.js'
import { headers, type StepContext, text } from './step.js'
import { transform } from './transform.js'

/**
 * Makes the answer: a page of data points from the rows, text by the template, JSON by the expression or, with none of
 * them, the output of the last step.
 */
export async function respond(context: StepContext, step: RespondStep, last: unknown): Promise<GlueAnswer> {
  const ownHeaders = await headers(context, step.headers)
  if (step.rows !== undefined) {
    return { status: step.status, headers: ownHeaders, body: { json: await dataPoints(context, step, step.rows) } }
  }
  if (step.body !== undefined) {
    const type = { 'content-type': 'text/plain; charset=utf-8' }
    return {
      status: step.status,
      headers: { ...type, ...ownHeaders },
      body: { text: await text(context, 'body', step.body, placeOfBody(step.headers, 'text/plain')) },
    }
  }
  const json = step.expression === undefined ? last : await transform(context, { expression: step.expression })
  return { status: step.status, headers: ownHeaders, body: { json } }
}
