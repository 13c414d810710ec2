// Runs the benchmarks of forms.
import type { Stack } from '../test/support/stack.js'
import { benchFormsLaunch } from './forms-launch.js'
import { benchFormsSubmit } from './forms-submit.js'

/** Measures launch pages and the submission of forms. */
export async function benchForms(stack: Stack, short: boolean): Promise<void> {
  await benchFormsLaunch(stack, short)
  await benchFormsSubmit(stack, short)
}
