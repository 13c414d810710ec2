// Maps each data type of a control to the function that checks its values.
import type { Checked } from './checked.js'
import { date, datetime } from './dates.js'
import { dataUrl } from './files.js'
import { annotatedImage, geolocation } from './geolocation.js'
import { boolean, decimal, integer, time, url } from './scalars.js'
import type { Control, DataType } from './template.js'
import { string, translatableText } from './texts.js'

export { type Checked, memberOf, textOf } from './checked.js'
export { defaultMaxBytes, tooLarge } from './files.js'
export { defaultMaxLength } from './texts.js'

/**
 * Checks a value that is not empty; one function for each data type.
 * @param language of the form, as a BCP 47 tag.
 */
export const checks: Record<DataType, (control: Control, given: unknown, language: string) => Checked> = {
  integer,
  decimal,
  string,
  boolean,
  date,
  time,
  datetime,
  'annotated-image': annotatedImage,
  geolocation,
  html: string,
  'data-url': dataUrl,
  url,
  'translatable-text-value': translatableText,
}
