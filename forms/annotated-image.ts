// Values of annotated images, with picture and pins.
import { pictureSize } from './picture.js'
import type { Control } from './template.js'
import type { Annotation, ControlValue } from './values.js'

/** Values as they are shown: those of annotated images with the picture and its pins. */
export const shownValues = (control: Control, values: readonly ControlValue[]): readonly object[] =>
  control.dataType === 'annotated-image'
    ? values.map(value =>
        value.type === 'annotated-image'
          ? { ...value, imageDataUri: imageWithPins(control, value.annotations) }
          : value,
      )
    : values

/**
 * The picture of a control with numbered pins on it; what is said of a pin is its title.
 * @returns an SVG as a data URL. A browser that shows it as an image runs nothing of it.
 */
export function imageWithPins(
  { image, imageDescription, label }: Pick<Control, 'image' | 'imageDescription' | 'label'>,
  annotations: readonly Annotation[],
): string {
  // Of a picture whose size cannot be read the pins are at their places all the same: it is stretched, and they with it.
  const { width, height } = (image && pictureSize(image)) || { width: 4, height: 3 }
  // Always of the same size for the eye, whatever units the picture has.
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

/** In parts: a call takes only so many arguments. */
function base64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(binary)
}
