// Draws annotated images: the picture of a control with the pins that were placed on it.
import { pictureSize } from './picture.js'
import type { Control } from './template.js'
import type { Annotation, ControlValue } from './values.js'

/**
 * Returns the values of a control for display. Annotated images get an `imageDataUri` that shows the picture with its
 * pins.
 */
export const shownValues = (control: Control, values: readonly ControlValue[]): readonly object[] =>
  control.dataType === 'annotated-image'
    ? values.map(value =>
        value.type === 'annotated-image'
          ? { ...value, imageDataUri: imageWithPins(control, value.annotations) }
          : value,
      )
    : values

/**
 * Draws the picture of a control with numbered pins on it. The text of a pin becomes its title, which browsers show as a tooltip.
 * @returns an SVG as a data URL. Browsers run no script in an SVG that they show as an image.
 */
export function imageWithPins(
  { image, imageDescription, label }: Pick<Control, 'image' | 'imageDescription' | 'label'>,
  annotations: readonly Annotation[],
): string {
  // Pins are placed in per cent. If the size of the picture cannot be read, it is stretched to 4:3, and the pins with it.
  const { width, height } = (image && pictureSize(image)) || { width: 4, height: 3 }
  // Scales every picture to a width of 1,000 units, so that all pins look equally large.
  const [right, bottom] = [1_000, Math.max(1, Math.round((1_000 * height) / width))]
  const pins = annotations.map(
    ({ position, value, x, y }) =>
      `<g transform="translate(${round((x / 100) * right)} ${round((y / 100) * bottom)})"><title>${escaped(value)}</title>` +
      '<circle r="34" fill="#b00020" stroke="#fff" stroke-width="5"/>' +
      `<text y="13" text-anchor="middle" font-family="sans-serif" font-size="38" font-weight="bold" fill="#fff">${position}</text></g>`,
  )
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${right} ${bottom}" width="${right}" height="${bottom}" role="img">` +
    `<title>${escaped(imageDescription ?? label)}</title>` +
    (image ? `<image href="${escaped(image)}" width="${right}" height="${bottom}" preserveAspectRatio="none"/>` : '') +
    `${pins.join('')}</svg>`
  return `data:image/svg+xml;base64,${base64(svg)}`
}

const round = (number: number): number => Math.round(number * 100) / 100

const escaped = (text: string): string => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

/** Encodes a text as base64, in blocks because a function takes only a limited number of arguments. */
function base64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(binary)
}
