// Tells on which task queue a pipeline step runs, and what its call is.
import { type NextCall, providerQueue } from '../../../workflows/glue/contracts.js'
import { type GlueSettings, hasLimits, isIdempotent, type PipelineStep } from './settings.js'

/** Returns the task queue of a step that calls a provider with limits, or undefined for any other step. */
export function queueOfStep(
  { providers }: GlueSettings,
  tenantKey: string,
  step: PipelineStep | undefined,
): string | undefined {
  const provider = providers.find(({ key }) => key === step?.httpRequest?.provider)
  return provider && hasLimits(provider) ? providerQueue(tenantKey, provider.key) : undefined
}

/** Returns what a run's workflow must know about a step's call, or undefined if the step makes none. */
export const callOfStep = (step: PipelineStep | undefined): NextCall | undefined =>
  step?.httpRequest && { step: step.name, isIdempotent: isIdempotent(step.httpRequest) }
