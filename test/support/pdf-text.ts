// Extracts the text of a PDF.
import { inflateSync } from 'node:zlib'

/**
 * Extracts the text of a PDF that Chromium has printed, without white space. The pages refer to glyphs by number, and each font has a
 * table with the letter of each glyph (PDF 1.4, 5.9.2).
 */
export function pdfText(pdf: Buffer): string {
  const objects = new Map(
    [...pdf.toString('latin1').matchAll(/(\d+) 0 obj\b([\s\S]*?)\bendobj/g)].map(([, id = '', body = '']) => [
      id,
      body,
    ]),
  )
  const streamOf = (body: string) => {
    // Uses the length, because the last byte of compressed data may be a line break.
    const found = /\/Length (\d+)[\s\S]*?\bstream\r?\n/.exec(body)
    const start = found ? found.index + found[0].length : 0
    return found ? inflated(body.slice(start, start + Number(found[1]))) : ''
  }
  const lettersOf = (font: string) => {
    const [, table = ''] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(font) ?? '') ?? []
    return lettersIn(streamOf(objects.get(table) ?? ''))
  }
  const fonts = new Map(
    [...objects.values()]
      .flatMap(body => [...body.matchAll(/\/(F\d+) (\d+) 0 R/g)])
      .map(([, name = '', font = '']) => [name, lettersOf(font)]),
  )
  return [...objects.values()]
    .map(streamOf)
    .filter(content => /\bTf\b/.test(content))
    .map(content => drawn(content, fonts))
    .join('')
}

function inflated(content: string): string {
  try {
    return inflateSync(Buffer.from(content, 'latin1')).toString('latin1')
  } catch {
    // The stream is compressed in another way, so it is a picture or a font.
    return ''
  }
}

const letter = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le')

function lettersIn(table: string): Map<number, string> {
  const letters = new Map<number, string>()
  for (const [, part = ''] of table.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
    for (const [, glyph = '', text = ''] of part.matchAll(/<(\w+)>\s*<(\w+)>/g)) {
      letters.set(Number.parseInt(glyph, 16), letter(text))
    }
  }
  for (const [, part = ''] of table.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
    for (const [, first = '', last = '', text = ''] of part.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/g)) {
      const [from = 0, to = -1, code = 0] = [first, last, text].map(hex => Number.parseInt(hex, 16))
      for (let glyph = from; glyph <= to; glyph++) letters.set(glyph, String.fromCharCode(code + glyph - from))
    }
  }
  return letters
}

function drawn(content: string, fonts: Map<string, Map<number, string>>): string {
  let letters: Map<number, string> | undefined
  let text = ''
  for (const [, font, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([\dA-Fa-f]+)>/g)) {
    if (font) letters = fonts.get(font)
    for (const glyph of glyphs?.match(/.{4}/g) ?? []) text += letters?.get(Number.parseInt(glyph, 16)) ?? ''
  }
  return text.replace(/\s/g, '')
}
