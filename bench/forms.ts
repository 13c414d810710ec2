// The benchmarks of forms.
import type { Stack } from '../test/support/stack.js'
import { benchFormsLaunch } from './forms-launch.js'
import { benchFormsSubmit } from './forms-submit.js'

/** Forms: their launch pages, and submitting them. */
export async function benchForms(stack: Stack, short: boolean): Promise<void> {
  await benchFormsLaunch(stack, short)
  await benchFormsSubmit(stack, short)
}
