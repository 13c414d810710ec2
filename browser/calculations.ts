// Updates the calculated values on a form's page.
import { pathOf } from '../forms/values.js'
import { pathTo } from './iterations.js'
import type { Judged, Page } from './page.js'

/** Shows the calculated values. */
export function showCalculated({ root }: Page, { values }: Judged): void {
  for (const output of root.querySelectorAll<HTMLOutputElement>('output[data-calculated]')) {
    const control = output.closest<HTMLElement>('[data-control]')
    if (!control) continue
    const path = pathTo(control).join()
    const value = values[control.dataset.control ?? '']?.find(each => pathOf(each).join() === path)
    const text =
      value?.type === 'single-selection' ? value.displayName : value?.type === 'single-value' ? value.value : ''
    // Screen readers announce every assignment, so only a change is written.
    if (output.value !== text) output.value = text
  }
}
