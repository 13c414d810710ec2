// Reads the size of a picture from its bytes.

/** Width and height of a picture, in pixels, or in the units of an SVG. */
export interface PictureSize {
  width: number
  height: number
}

/**
 * Reads the size of a PNG, GIF, JPEG or SVG.
 * @param dataUrl with base64.
 * @returns undefined for any other file. Templates with such a picture are refused.
 */
export function pictureSize(dataUrl: string): PictureSize | undefined {
  const comma = dataUrl.indexOf(',')
  const [, type] = /^data:image\/(png|gif|jpeg|svg\+xml);base64$/i.exec(dataUrl.slice(0, Math.max(0, comma))) ?? []
  const read = type && readers[type.toLowerCase()]
  if (!read) return undefined
  try {
    const size = read(atob(dataUrl.slice(comma + 1)))
    return size && size.width > 0 && size.height > 0 ? size : undefined
  } catch {
    // atob throws for invalid base64.
    return undefined
  }
}

/** The readers by media subtype. Each takes the picture as a string with one character per byte. */
const readers: Record<string, (bytes: string) => PictureSize | undefined> = {
  png: bytes =>
    bytes.startsWith('\x89PNG\r\n') ? { width: number(bytes, 16, 4), height: number(bytes, 20, 4) } : undefined,
  gif: bytes =>
    /^GIF8[79]a/.test(bytes)
      ? {
          width: bytes.charCodeAt(6) + 256 * bytes.charCodeAt(7),
          height: bytes.charCodeAt(8) + 256 * bytes.charCodeAt(9),
        }
      : undefined,
  jpeg,
  'svg+xml': svg,
}

/** Reads a big-endian number of `length` bytes. */
function number(bytes: string, at: number, length: number): number {
  let value = 0
  for (let n = at; n < at + length; n++) value = value * 256 + bytes.charCodeAt(n)
  return value
}

/** Reads the size of a JPEG, which is a list of segments. The size is in the segment that starts the frame. */
function jpeg(bytes: string): PictureSize | undefined {
  if (!bytes.startsWith('\xff\xd8')) return undefined
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === '\xff') {
    const marker = bytes.charCodeAt(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: number(bytes, at + 5, 2), width: number(bytes, at + 7, 2) }
    at += 2 + number(bytes, at + 2, 2)
  }
  return undefined
}

function svg(text: string): PictureSize | undefined {
  const [tag = ''] = /<svg\b[^<>]*>/.exec(text) ?? []
  const attribute = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']\\s*([^"']*)["']`).exec(tag)?.[1]
  const [, , viewWidth, viewHeight] = attribute('viewBox')?.split(/[\s,]+/) ?? []
  const [width, height] = [viewWidth ?? attribute('width'), viewHeight ?? attribute('height')]
  return width && height ? { width: Number.parseFloat(width), height: Number.parseFloat(height) } : undefined
}
