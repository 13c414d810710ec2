// The task queue of a pipeline step.
import { type NextCall, providerQueue } from '../../../workflows/glue/contracts.js'
import { type GlueSettings, hasLimits, isIdempotent, type PipelineStep } from './settings.js'

/** The task queue of a step that calls a provider with limits; undefined for all other steps. */
export function queueOfStep(
  { providers }: GlueSettings,
  tenantKey: string,
  step: PipelineStep | undefined,
): string | undefined {
  const provider = providers.find(({ key }) => key === step?.httpRequest?.provider)
  return provider && hasLimits(provider) ? providerQueue(tenantKey, provider.key) : undefined
}

/** The call of a step, as its run's workflow must know it; undefined for a step that calls nobody. */
export const callOfStep = (step: PipelineStep | undefined): NextCall | undefined =>
  step?.httpRequest && { step: step.name, isIdempotent: isIdempotent(step.httpRequest) }
