// Runs the steps of an endpoint's pipeline one after the other.
import {
  type GlueEndpoint,
  isIdempotent,
  type OpenedGlue,
  type PipelineStep,
} from '../../../db/glue/endpoints/settings.js'
import { callOfStep, queueOfStep } from '../../../db/glue/endpoints/step-queue.js'
import type { Evaluator } from '../../../runtime/expressions/expressions.js'
import { hasExactNumber, parseJsonAsWritten, stringifyExactJson } from '../../../runtime/json/exact-json.js'
import { notFound } from '../../../runtime/problems/problem.js'
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
import type { Asked, Scope, StepContext } from './steps/step.js'
import { transform } from './steps/transform.js'

/**
 * Size limit, in bytes of JSON, of a run's state between steps and of its answer. Temporal accepts 2 MB together with
 * the request.
 */
const maxBytes = 1_000_000

export interface StepsRun extends EndpointRun {
  tenantId: number
  /** The job that the steps are run for, if there is one. */
  jobId?: string | undefined
  /** Validates the user's token again before a step uses it. Undefined if the server has only just validated it. */
  recheck?: ((userToken: string) => Promise<void>) | undefined
}

/**
 * Runs an endpoint's next steps.
 * @param until `request`: runs up to the second call of a provider, and returns what the workflow must know about the
 * remaining steps. `answer`: runs all remaining steps at once, without a size limit.
 * @throws StepCallFailed when a provider does not answer; Problem, which names the step, for anything final;
 * FailedAfterCall instead of any other error if a retry would repeat a call that must not be repeated.
 */
export type RunSteps = (
  glue: OpenedGlue,
  run: StepsRun,
  state: RunState,
  until: 'request' | 'answer',
  signal?: AbortSignal,
) => Promise<StepsDone>

/** A step's call of a provider failed. */
export class StepCallFailed extends ProviderFailed {
  constructor(
    readonly step: string,
    failure: ProviderFailed,
    /** How many calls the step made in this attempt. */
    readonly calls = 1,
  ) {
    super(failure.reason, failure.message, failure)
  }
}

/**
 * An error after a call that is not idempotent, so that the steps must not be retried. The cause is the error itself.
 */
export class FailedAfterCall extends Error {
  override readonly name = 'FailedAfterCall'
}

export const createRunSteps = ({ calls, evaluator }: { calls: ProviderCalls; evaluator: Evaluator }): RunSteps => {
  return async (glue, run, state, until, signal) => {
    const made = { once: false }
    try {
      return await runUntil(glue, run, state, until, signal, made)
    } catch (error) {
      const isCallFailure = error instanceof StepCallFailed
      throw until === 'request' && made.once && !isCallFailure ? new FailedAfterCall('', { cause: error }) : error
    }
  }

  async function runUntil(
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
    const asked: Asked = { byProvider: { ...state.asked } }
    for (const [index, step] of steps.entries()) {
      if (index < state.next) continue
      if (step.httpRequest && called && until === 'request') {
        return nextSteps(glue, run.tenantKey, steps, { ...stateOf(index, outputs), asked: asked.byProvider })
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
        later: steps.slice(index + 1),
        asked,
        until,
        signal,
      }
      if (step.respond) return answerOf(await respond(context, step.respond, last), step.name, until)
      made.once ||= step.httpRequest !== undefined && !isIdempotent(step.httpRequest)
      outputs[step.name] = await outputOfStep(context, step)
      last = outputOf(step, outputs)
      called ||= step.httpRequest !== undefined
    }
    return answerOf({ status: 200, headers: {}, body: { json: last } }, steps.at(-1)?.name ?? key, until)
  }
}

/**
 * Finds an endpoint, and its pointer in the manifest.
 * @throws Problem 404 when the manifest has no such endpoint any more.
 */
function endpointOf({ settings }: OpenedGlue, endpointKey: string): GlueEndpoint & { at: string } {
  const index = settings.endpoints.findIndex(({ key }) => key === endpointKey)
  const endpoint = settings.endpoints[index]
  if (!endpoint) throw notFound(`There is no endpoint '${endpointKey}' any more.`)
  return { at: `/glue/endpoints/${index}`, ...endpoint }
}

/** Returns the name of the one member that says what the step does. */
const kindOf = ({ name: _, ...kinds }: PipelineStep): string =>
  Object.entries(kinds).find(([, settings]) => settings !== undefined)?.[0] ?? ''

/**
 * Builds the scope of a step's templates and expressions. Each step reads the claims of the user's token anew, so that no step
 * can change them for a later one. The token itself is in the scope only if the step names it and it is still valid. Secrets are
 * not in it: a call adds those that may go to its host.
 */
async function scopeOf(
  { request, recheck }: StepsRun,
  glue: OpenedGlue,
  steps: Record<string, unknown>,
  step: PipelineStep,
): Promise<Scope> {
  const { userToken, ...rest } = request
  const { variables } = glue.settings
  if (userToken === undefined) return { request: rest, variables, steps }
  const known = { ...rest, user: claimsOf(userToken) }
  if (!usesUserToken(step)) return { request: known, variables, steps }
  await recheck?.(userToken)
  return { request: { ...known, userToken }, variables, steps }
}

/** Returns the claims of a token that was verified when its caller was admitted. */
const claimsOf = (token: string): unknown =>
  parseJsonAsWritten(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

const usesUserToken = (step: PipelineStep): boolean => JSON.stringify(step).includes('userToken')

/** Returns the steps that run together from an index on: up to the second call of a provider. */
function stepsUpToNextCall(steps: readonly PipelineStep[], from: number): PipelineStep[] {
  const call = callFrom(steps, from)
  const next = call === -1 ? -1 : callFrom(steps, call + 1)
  return steps.slice(from, next === -1 ? undefined : next)
}

const callFrom = (steps: readonly PipelineStep[], from: number): number =>
  steps.findIndex(({ httpRequest }, index) => index >= from && httpRequest)

/** Returns what the workflow must know about the next steps. */
function nextSteps(
  { settings }: OpenedGlue,
  tenantKey: string,
  steps: readonly PipelineStep[],
  state: RunState,
): NextSteps {
  const upcoming = stepsUpToNextCall(steps, state.next)
  const step = upcoming.find(({ httpRequest }) => httpRequest)
  const call = callOfStep(step)
  const usesToken = upcoming.some(usesUserToken)
  return { state, queue: queueOfStep(settings, tenantKey, step), call, ...(usesToken && { usesToken }) }
}

/**
 * Returns the first steps, to run again after the activity `validateToken`, if they use the user's token and may run
 * too late to rely on the server's check of it, because another process had started them. Returns undefined for later
 * steps, and for first steps that only waited in their provider's queue.
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
    // Whoever owns the signal tells whether the time was over or the run was cancelled.
    const givenUp = context.signal?.aborted
      ? new ProviderFailed('timeout', 'it did not answer in time', final)
      : undefined
    const failed = givenUp ?? error
    throw failed instanceof ProviderFailed ? new StepCallFailed(context.name, failed) : failed
  }
  throw endpointFailed(context.name, 'it has no settings that say what to do')
}

const final = { retryable: false }

/** Returns what a step contributes to the answer: the body of a call, or else the whole output. */
function outputOf(step: PipelineStep | undefined, outputs: Record<string, unknown>): unknown {
  const output = step && outputs[step.name]
  return step?.httpRequest ? Object(output).body : (output ?? null)
}

function answerOf(answer: GlueAnswer, step: string, until: 'request' | 'answer'): StepsDone {
  if (until === 'answer') return { answer }
  const bytes = bytesOf(answer)
  if (bytes > maxBytes) throw tooLarge(step, bytes, maxBytes)
  const { status, headers, body } = answer
  if ('text' in body || !hasExactNumber(body.json)) return { answer }
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return { answer: { status, headers: { ...type, ...headers }, body: { text: stringifyExactJson(body.json) } } }
}

const requestIn = ({ request: { exactBody, ...request } }: StepsRun): GlueRequest =>
  exactBody === undefined ? request : { ...request, body: parseJsonAsWritten(exactBody) }

const outputsIn = ({ outputs, exactOutputs }: RunState): Record<string, unknown> => ({
  ...(exactOutputs === undefined ? outputs : Object(parseJsonAsWritten(exactOutputs))),
})

/**
 * Builds the state to continue with.
 * @throws Problem that names the step with the largest output if the state is too large for Temporal.
 */
function stateOf(next: number, outputs: Record<string, unknown>): RunState {
  const exact = hasExactNumber(outputs) ? { outputs: {}, exactOutputs: stringifyExactJson(outputs) } : { outputs }
  if (bytesOf(exact) <= maxBytes) return { next, ...exact }
  const sizes = Object.entries(outputs).map(([name, output]) => ({ name, bytes: bytesOf(output) }))
  const largest = sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a))
  throw tooLarge(largest.name, largest.bytes, maxBytes)
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')
