// Checks the files that a user chose, before the upload.
import { defaultMaxBytes, tooLarge } from '../forms/data-types.js'
import { controlsOf, type FormTemplate } from '../forms/template.js'
import type { FormFault } from '../forms/values.js'
import { pathTo } from './iterations.js'

/**
 * Returns a field as text. A file is represented by an empty data URL of its type, since checking it does not need the
 * content.
 */
export function postedAs([name, value]: [string, FormDataEntryValue]): readonly [name: string, text: string] {
  if (typeof value === 'string') return [name, value]
  return [name, value.size === 0 ? '' : `data:${value.type || 'application/octet-stream'};base64,`]
}

/**
 * Reports chosen files that are larger than their controls allow, so that nobody waits for an upload that will be
 * refused.
 */
export function tooLargeFiles(root: HTMLElement, template: FormTemplate): FormFault[] {
  return [...root.querySelectorAll<HTMLInputElement>('input[type=file]')].flatMap(field => {
    const element = field.closest<HTMLElement>('[data-control]')
    const { id, maxBytes = defaultMaxBytes } = controlsOf(template).get(element?.dataset.control ?? '')?.control ?? {}
    const bytes = field.files?.[0]?.size ?? 0
    if (!element || id === undefined || bytes <= maxBytes) return []
    return [{ pointer: `/${id}`, ...tooLarge(bytes, maxBytes), id, path: pathTo(element) }]
  })
}
