// Checks geolocations and annotated images.
import { type Checked, memberOf, textOf, wrong } from './checked.js'
import type { Control } from './template.js'
import { textFault } from './texts.js'
import type { Annotation } from './values.js'

/** Checks a geolocation, in degrees. Rounds to seven decimal places, about a centimetre. */
export function geolocation(_: Control, given: unknown): Checked {
  const latitude = numberIn(given, 'latitude', -90, 90, 7)
  const longitude = numberIn(given, 'longitude', -180, 180, 7)
  if (latitude === undefined || longitude === undefined) {
    const detail = 'It is not a place: a latitude from -90 to 90 and a longitude from -180 to 180 are needed.'
    return wrong('geolocation', detail)
  }
  return { content: { type: 'geolocation', latitude, longitude } }
}

/** Highest number of pins on one picture. */
const maxPins = 100

/** Checks the pins on a picture, and numbers them in the order in which they were sent. */
export function annotatedImage(control: Control, given: unknown): Checked {
  const pins = memberOf(given, 'annotations')
  if (!Array.isArray(pins))
    return wrong('annotated-image', 'It is not a list of pins: {"annotations": [{"x", "y", "value"}]}.')
  if (pins.length > maxPins) return wrong('too-many', `There are ${pins.length} pins; at most ${maxPins} are allowed.`)
  const annotations: Annotation[] = []
  for (const [n, pin] of pins.entries()) {
    const [x, y] = [numberIn(pin, 'x', 0, 100, 2), numberIn(pin, 'y', 0, 100, 2)]
    if (x === undefined || y === undefined)
      return wrong(
        'pin',
        `Pin ${n + 1} is not on the picture: x and y are per cent of its width and height, from 0 to 100.`,
      )
    const value = textOf(memberOf(pin, 'value') ?? '')?.replace(/\r\n?/g, '\n')
    const fault = value === undefined ? wrong('string', 'It is not a text.') : textFault(control, value)
    if (value === undefined || fault) return wrong('pin', `The text of pin ${n + 1}: ${fault?.detail ?? ''}`)
    annotations.push({ position: n + 1, value, x, y })
  }
  return { content: { type: 'annotated-image', annotations } }
}

/**
 * Reads a member that is a number, or a text with one, and rounds it to `digits` decimal places.
 * @returns undefined if it is no number from `least` to `most`.
 */
function numberIn(given: unknown, name: string, min: number, max: number, digits: number): number | undefined {
  const text = textOf(memberOf(given, name))?.trim().replace(',', '.') ?? ''
  const number = /^[+-]?\d{1,18}(\.\d{1,30})?$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= min && number <= max)) return undefined
  // Adding 0 turns -0 into 0.
  return Math.round(number * 10 ** digits) / 10 ** digits + 0
}
