import { providerQueue } from '../../workflows/glue/contracts.js'
import type { GlueSettings, PipelineStep } from './settings.js'

/** The task queue of a step that calls a provider with limits; undefined for all other steps. */
export function queueOfStep(
  { providers }: GlueSettings,
  tenantKey: string,
  step: PipelineStep | undefined,
): string | undefined {
  const provider = providers.find(({ key }) => key === step?.httpRequest?.provider)
  return provider && Object.keys(provider.limits).length > 0 ? providerQueue(tenantKey, provider.key) : undefined
}
