// Runs the steps of an endpoint's pipeline, one after the other.
import {
  type GlueEndpoint,
  isIdempotent,
  type OpenedGlue,
  type PipelineStep,
} from '../../../db/glue/endpoints/settings.js'
import { callOfStep, queueOfStep } from '../../../db/glue/endpoints/step-queue.js'
import { hasExactNumber, parseLosslessJson, stringifyExactJson } from '../../../runtime/exact-json.js'
import type { Evaluator } from '../../../runtime/expressions.js'
import { notFound } from '../../../runtime/problem.js'
import type {
  EndpointRun,
  GlueAnswer,
  GlueRequest,
  NextSteps,
  RunState,
  StepsDone,
} from '../../../workflows/glue/contracts.js'
import { type ProviderCalls, ProviderFailed } from '../../providers/provider-calls.js'
import { endpointFailed, tooLarge } from './step-problems.js'
import { httpRequest } from './steps/http-request.js'
import { jwt } from './steps/jwt.js'
import { respond } from './steps/respond.js'
import type { Scope, StepContext } from './steps/step.js'
import { transform } from './steps/transform.js'

/** Most bytes, as JSON, of what a run keeps between its steps, and of its answer: Temporal takes 2 MB with the request. */
const mostBytes = 1_000_000

export interface StepsRun extends EndpointRun {
  tenantId: number
  /** Validates the user's token again before a step uses it. Undefined right after the edge has done so. */
  recheck?: ((userToken: string) => Promise<void>) | undefined
}

/**
 * Runs an endpoint's next steps.
 * @param until `request`: one call of a provider at most, and the steps around it; what comes next is in the outcome. `answer`:
 *   all that is left, at once, and whatever its size.
 * @throws StepCallFailed when a provider does not answer; Problem, which names the step, for everything that is final;
 *   FailedAfterCall in place of any other error, where the same steps would repeat a call that must not be repeated.
 */
export type RunSteps = (
  glue: OpenedGlue,
  run: StepsRun,
  state: RunState,
  until: 'request' | 'answer',
  signal?: AbortSignal,
) => Promise<StepsDone>

/** A call of a provider failed, in a step. */
export class StepCallFailed extends ProviderFailed {
  constructor(
    readonly step: string,
    failure: ProviderFailed,
    /** How often the step was tried at once. */
    readonly calls = 1,
  ) {
    super(failure.reason, failure.message, failure)
  }
}

/** A call that is not idempotent was made, and what came after it in the same go failed. The cause says how. */
export class FailedAfterCall extends Error {
  override readonly name = 'FailedAfterCall'
}

export const createRunSteps = ({ calls, evaluator }: { calls: ProviderCalls; evaluator: Evaluator }): RunSteps => {
  return async (glue, run, state, until, signal) => {
    const made = { once: false }
    try {
      return await go(glue, run, state, until, signal, made)
    } catch (error) {
      const isOfCall = error instanceof StepCallFailed
      throw until === 'request' && made.once && !isOfCall ? new FailedAfterCall('', { cause: error }) : error
    }
  }

  async function go(
    glue: OpenedGlue,
    run: StepsRun,
    state: RunState,
    until: 'request' | 'answer',
    signal: AbortSignal | undefined,
    made: { once: boolean },
  ): Promise<StepsDone> {
    const { at, key, steps } = endpointOf(glue, run.endpointKey)
    const outputs = outputsIn(state)
    const request = requestIn(run)
    let last = outputOf(steps[state.next - 1], outputs)
    let called = false
    for (const [index, step] of steps.entries()) {
      if (index < state.next) continue
      if (step.httpRequest && called && until === 'request') {
        return nextSteps(glue, run.tenantKey, steps, stateOf(index, outputs))
      }
      const scope = await scopeOf({ ...run, request }, glue, outputs, step)
      const context = {
        name: step.name,
        at: `${at}/steps/${index}/${kindOf(step)}`,
        run,
        glue,
        scope,
        calls,
        evaluator,
        until,
        signal,
      }
      if (step.respond) return answered(await respond(context, step.respond, last), step.name, until)
      made.once ||= step.httpRequest !== undefined && !isIdempotent(step.httpRequest)
      outputs[step.name] = await outputOfStep(context, step)
      last = outputOf(step, outputs)
      called ||= step.httpRequest !== undefined
    }
    return answered({ status: 200, headers: {}, body: { json: last } }, steps.at(-1)?.name ?? key, until)
  }
}

/** @throws Problem 404 when the manifest has no such endpoint any more. */
function endpointOf({ settings }: OpenedGlue, endpointKey: string): GlueEndpoint & { at: string } {
  const index = settings.endpoints.findIndex(({ key }) => key === endpointKey)
  const endpoint = settings.endpoints[index]
  if (!endpoint) throw notFound(`There is no endpoint '${endpointKey}' any more.`)
  return { at: `/glue/endpoints/${index}`, ...endpoint }
}

/** Name of the one member that says what the step does. */
const kindOf = ({ name: _, ...kinds }: PipelineStep): string =>
  Object.entries(kinds).find(([, settings]) => settings !== undefined)?.[0] ?? ''

/**
 * The scope of a step's templates and expressions. It holds the user's token only for a step that names it, and only
 * while the token is valid. Secrets are only in the scope of requests and signatures: callers may see other results.
 */
async function scopeOf(
  { request, recheck }: StepsRun,
  glue: OpenedGlue,
  steps: Record<string, unknown>,
  step: PipelineStep,
): Promise<Scope> {
  const { userToken, ...rest } = request
  const { variables } = step.transform || step.respond ? glue.settings : glue
  if (userToken === undefined || !usesUserToken(step)) return { request: rest, variables, steps }
  await recheck?.(userToken)
  return { request, variables, steps }
}

const usesUserToken = (step: PipelineStep): boolean => JSON.stringify(step).includes('userToken')

/** The steps at this place and after it, with one call at most. */
function stepsOfGo(steps: readonly PipelineStep[], from: number): PipelineStep[] {
  const call = callFrom(steps, from)
  const next = call === -1 ? -1 : callFrom(steps, call + 1)
  return steps.slice(from, next === -1 ? undefined : next)
}

const callFrom = (steps: readonly PipelineStep[], from: number): number =>
  steps.findIndex(({ httpRequest }, index) => index >= from && httpRequest)

/** The next steps, as the workflow has to know them. */
function nextSteps(
  { settings }: OpenedGlue,
  tenantKey: string,
  steps: readonly PipelineStep[],
  state: RunState,
): NextSteps {
  const go = stepsOfGo(steps, state.next)
  const step = go.find(({ httpRequest }) => httpRequest)
  const call = callOfStep(step)
  const usesToken = go.some(usesUserToken)
  return { state, queue: queueOfStep(settings, tenantKey, step), call, ...(usesToken && { usesToken }) }
}

/**
 * The first steps, to be begun again behind the activity `validateToken`: another process had begun them, and they use the
 * user's token. Undefined for other steps, and for those that have waited for their provider.
 */
export function afterToken(
  glue: OpenedGlue,
  run: EndpointRun,
  state: RunState,
  attempt: number,
): NextSteps | undefined {
  if (state.next > 0 || state.isRepeated || run.request.userToken === undefined) return undefined
  const { steps } = endpointOf(glue, run.endpointKey)
  const next = nextSteps(glue, run.tenantKey, steps, { ...state, isRepeated: true })
  const hasWaited = next.queue !== undefined && attempt === 1
  return next.usesToken && !hasWaited ? next : undefined
}

async function outputOfStep(context: StepContext, { httpRequest: call, jwt: token, transform: map }: PipelineStep) {
  try {
    if (call) return await httpRequest(context, call)
    if (token) return await jwt(context, token)
    if (map) return await transform(context, map)
  } catch (error) {
    // The owner of the signal knows whether the time was over or the run was cancelled.
    const givenUp = context.signal?.aborted
      ? new ProviderFailed('timeout', 'it did not answer in time', final)
      : undefined
    const failed = givenUp ?? error
    throw failed instanceof ProviderFailed ? new StepCallFailed(context.name, failed) : failed
  }
  throw endpointFailed(context.name, 'it says nothing that is to be done')
}

const final = { retryable: false }

/** The default output of a step: of a call the body. */
function outputOf(step: PipelineStep | undefined, outputs: Record<string, unknown>): unknown {
  const output = step && outputs[step.name]
  return step?.httpRequest ? Object(output).body : (output ?? null)
}

function answered(answer: GlueAnswer, step: string, until: 'request' | 'answer'): StepsDone {
  if (until === 'answer') return { answer }
  const bytes = bytesOf(answer)
  if (bytes > mostBytes) throw tooLarge(step, bytes, mostBytes)
  const { status, headers, body } = answer
  if ('text' in body || !hasExactNumber(body.json)) return { answer }
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return { answer: { status, headers: { ...type, ...headers }, body: { text: stringifyExactJson(body.json) } } }
}

const requestIn = ({ request: { exactBody, ...request } }: StepsRun): GlueRequest =>
  exactBody === undefined ? request : { ...request, body: parseLosslessJson(exactBody) }

const outputsIn = ({ outputs, exactOutputs }: RunState): Record<string, unknown> => ({
  ...(exactOutputs === undefined ? outputs : Object(parseLosslessJson(exactOutputs))),
})

/** @throws Problem where it is too large for Temporal, which names the step whose output is the largest. */
function stateOf(next: number, outputs: Record<string, unknown>): RunState {
  const exact = hasExactNumber(outputs) ? { outputs: {}, exactOutputs: stringifyExactJson(outputs) } : { outputs }
  if (bytesOf(exact) <= mostBytes) return { next, ...exact }
  const sizes = Object.entries(outputs).map(([name, output]) => ({ name, bytes: bytesOf(output) }))
  const largest = sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a))
  throw tooLarge(largest.name, largest.bytes, mostBytes)
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')
