// What a pipeline step works with, and the evaluation of its templates and expressions.
import { explained, variablesFor } from '../../../../db/glue/endpoints/secret-hosts.js'
import type { OpenedGlue, PipelineStep, Provider } from '../../../../db/glue/endpoints/settings.js'
import type { Place } from '../../../../runtime/expressions/escaped-output.js'
import type { Evaluator, Kind } from '../../../../runtime/expressions/expressions.js'
import { pointerPart } from '../../../../runtime/problems/problem.js'
import type { EndpointRun } from '../../../../workflows/glue/contracts.js'
import type { ProviderCalls } from '../../../providers/provider-calls.js'
import { callHeaders, NoRequest } from '../../../providers/provider-request.js'
import { endpointFailed, headerRefused, notEvaluated } from '../step-problems.js'

/** The values that templates and expressions can read. */
export interface Scope {
  request: object
  variables: Record<string, string>
  steps: Record<string, unknown>
}

/** Addresses, without their queries, to which links of the answers are relative. */
export interface Asked {
  /** The last address by provider. */
  byProvider: Record<string, string>
  /** The address of the step whose template begins with the cursor, so that the cursor is a link. */
  byCursor?: { url: string; provider: Provider | undefined }
}

/** What a pipeline step works with. */
export interface StepContext {
  name: string
  /** JSON pointer of the step's own settings, such as `/glue/endpoints/0/steps/1/httpRequest`. */
  at: string
  run: EndpointRun & { tenantId: number; jobId?: string | undefined }
  glue: OpenedGlue
  scope: Scope
  /** The host that the texts are sent to, whose secrets are in the scope. */
  host?: string
  calls: ProviderCalls
  evaluator: Evaluator
  /** The steps behind this one. */
  later: readonly PipelineStep[]
  /** The addresses that the run has asked until now. */
  asked: Asked
  /** `request`: a caller waits. `answer`: a job needs the answer. */
  until: 'request' | 'answer'
  signal: AbortSignal | undefined
}

/** Adds the secrets that may be sent to a host to what the texts can read. */
export const sendingTo = (context: StepContext, host: string): StepContext => ({
  ...context,
  host,
  scope: { ...context.scope, variables: variablesFor(context.glue, host) },
})

/**
 * Evaluates a template.
 * @param setting where the template stands among the step's settings: `url`.
 * @param place what the template makes, by which its values are escaped.
 * @throws Problem that names the step, or what the request lacks.
 */
export const text = (context: StepContext, setting: string, template: string, place?: Place): Promise<string> =>
  evaluated(context, setting, (evaluator, kind) =>
    evaluator.template(context.run.tenantId, kind, template, context.scope, place),
  )

/**
 * Evaluates templates by name. Empty results are included.
 * @param setting where they stand among the step's settings: `headers`.
 */
export const texts = (
  context: StepContext,
  setting: string,
  templates: Record<string, string>,
): Promise<[string, string][]> =>
  Promise.all(
    Object.entries(templates).map(async ([name, template]) => [
      name,
      await text(context, `${setting}/${pointerPart(name)}`, template),
    ]),
  )

/**
 * Runs an evaluation with the limits for a request or a job.
 * @throws Problem as {@link text}.
 */
export const evaluated = <T>(
  context: StepContext,
  setting: string,
  evaluate: (evaluator: Evaluator, kind: Kind) => Promise<T>,
): Promise<T> => {
  const { name, at, evaluator, glue, host } = context
  return evaluate(evaluator, kindOf(context)).catch((error: unknown) => {
    throw notEvaluated(name, `${at}/${setting}`, explained(error, glue, host))
  })
}

/** Returns whose limits the texts of a step have. */
export const kindOf = ({ until }: StepContext): Kind => (until === 'request' ? 'request' : 'job')

/**
 * Evaluates the headers that a step sends or answers.
 * @throws Problem that names the step.
 */
export async function headers(
  context: StepContext,
  templates: Record<string, string>,
): Promise<Record<string, string>> {
  const rendered = await texts(context, 'headers', templates)
  return carriedOut(context, () => {
    try {
      return callHeaders(rendered)
    } catch (error) {
      const { header = '' } = error instanceof NoRequest ? error : {}
      throw templates[header]?.includes('request.') ? headerRefused(context.name, header) : error
    }
  })
}

/** Builds a part of a request. If the result cannot be sent, throws a Problem that names the step. */
export function carriedOut<T>({ name }: StepContext, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof NoRequest ? endpointFailed(name, error.message) : error
  }
}

export const isJson = (contentType: string | undefined): boolean =>
  /^application\/([\w.+-]+\+)?json\b/i.test(contentType ?? '')
