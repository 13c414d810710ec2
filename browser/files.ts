// Checks of the files that a user chose, before the upload.
import { defaultMaxBytes, tooLarge } from '../forms/data-types.js'
import { controlsOf, type FormTemplate } from '../forms/template.js'
import type { FormFault } from '../forms/values.js'
import { pathTo } from './iterations.js'

/** A field of a form as text. For a file that was chosen stands an empty one of its type: it need not be read to be judged. */
export function postedAs([name, value]: [string, FormDataEntryValue]): readonly [name: string, text: string] {
  if (typeof value === 'string') return [name, value]
  return [name, value.size === 0 ? '' : `data:${value.type || 'application/octet-stream'};base64,`]
}

/** The files that were chosen and are larger than their controls allow: nobody waits for an upload that is refused. */
export function tooLargeFiles(root: HTMLElement, template: FormTemplate): FormFault[] {
  return [...root.querySelectorAll<HTMLInputElement>('input[type=file]')].flatMap(field => {
    const element = field.closest<HTMLElement>('[data-control]')
    const { id, maxBytes = defaultMaxBytes } = controlsOf(template).get(element?.dataset.control ?? '')?.control ?? {}
    const bytes = field.files?.[0]?.size ?? 0
    if (!element || id === undefined || bytes <= maxBytes) return []
    return [{ pointer: `/${id}`, ...tooLarge(bytes, maxBytes), id, path: pathTo(element) }]
  })
}
