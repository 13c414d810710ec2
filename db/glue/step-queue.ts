import { providerQueue } from '../../workflows/glue/contracts.js'
import { type GlueSettings, hasLimits, type PipelineStep } from './settings.js'

/** The task queue of a step that calls a provider with limits; undefined for all other steps. */
export function queueOfStep(
  { providers }: GlueSettings,
  tenantKey: string,
  step: PipelineStep | undefined,
): string | undefined {
  const provider = providers.find(({ key }) => key === step?.httpRequest?.provider)
  return provider && hasLimits(provider) ? providerQueue(tenantKey, provider.key) : undefined
}
