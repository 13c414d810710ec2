// The checks of all data types of controls.
import type { Checked } from './checked.js'
import { date, datetime } from './dates.js'
import { dataUrl } from './files.js'
import { annotatedImage, geolocation } from './places.js'
import { boolean, decimal, integer, time, url } from './scalars.js'
import type { Control, DataType } from './template.js'
import { string, translatableText } from './texts.js'

export { type Checked, memberOf, textOf } from './checked.js'
export { defaultMaxBytes, tooLarge } from './files.js'
export { defaultMaxLength } from './texts.js'

/**
 * One function for each data type: it checks a value that is there, for the API and the page alike.
 * @param language of the form, BCP 47.
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
