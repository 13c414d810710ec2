import type { OpenedGlue } from '../../../db/glue/settings.js'
import { render } from '../../../runtime/templates.js'
import type { EndpointRun } from '../../../workflows/glue/contracts.js'
import type { ProviderCalls } from '../provider-calls.js'
import { endpointFailed, notEvaluated } from '../step-problems.js'

/** What templates and expressions read. */
export interface Scope {
  request: object
  variables: Record<string, string>
  steps: Record<string, unknown>
}

/** Everything that a step works with. */
export interface StepContext {
  /** Name of the step. */
  name: string
  run: EndpointRun & { tenantId: number }
  glue: OpenedGlue
  scope: Scope
  calls: ProviderCalls
  signal: AbortSignal | undefined
}

/** @throws Problem that names the step, or what the request lacks. */
export function text({ name, scope }: StepContext, template: string): string {
  try {
    return render(template, scope)
  } catch (error) {
    throw notEvaluated(name, error)
  }
}

/** Headers by lower-case name; one that comes out empty is left out. @throws Problem where a value would break out of its line. */
export function headers(context: StepContext, templates: Record<string, string>): Record<string, string> {
  const given = Object.entries(templates).map(([name, template]) => {
    const value = text(context, template).trim()
    // The characters that a header may have (RFC 9110, 5.5).
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw endpointFailed(context.name, `the header '${name}' has a character that no header may have`)
    }
    return [name.toLowerCase(), value] as const
  })
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

export const isJson = (contentType: string | undefined): boolean =>
  /^application\/([\w.+-]+\+)?json\b/i.test(contentType ?? '')
