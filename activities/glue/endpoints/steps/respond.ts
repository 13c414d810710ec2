// The pipeline step `respond`: the answer of the endpoint.
import type { RespondStep } from '../../../../db/glue/endpoints/settings.js'
import type { GlueAnswer } from '../../../../workflows/glue/contracts.js'
import { headers, type StepContext, text } from './step.js'
import { transform } from './transform.js'

/** Makes the answer: a text by template, JSON by expression, or with neither what the last step gave. */
export async function respond(context: StepContext, step: RespondStep, last: unknown): Promise<GlueAnswer> {
  const given = await headers(context, step.headers)
  if (step.body !== undefined) {
    const type = { 'content-type': 'text/plain; charset=utf-8' }
    return {
      status: step.status,
      headers: { ...type, ...given },
      body: { text: await text(context, 'body', step.body) },
    }
  }
  const json = step.expression === undefined ? last : await transform(context, { expression: step.expression })
  return { status: step.status, headers: given, body: { json } }
}
