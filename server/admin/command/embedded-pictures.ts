// Replaces the picture files that a form template names by data URLs.
import { readFile } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { type Document, isScalar, type Scalar, visit } from 'yaml'
import { CommandFailed } from './command-failed.js'

const mediaTypes: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
}

/**
 * Embeds pictures in a form's template: in `image: ./body.svg`, the file beside the template becomes a data URL.
 * @param at returns `file:line: ` for an offset in the text.
 * @throws CommandFailed with every picture that cannot be read, and its line.
 */
export async function embedPictures(document: Document, path: string, at: (offset: number) => string): Promise<void> {
  const named: Scalar<string>[] = []
  visit(document, {
    Pair(_, { key, value }) {
      const isImage = isScalar(key) && String(key.value).toLowerCase() === 'image'
      if (isImage && isText(value) && !/^data:/i.test(value.value)) named.push(value)
    },
  })
  const faults: string[] = []
  for (const scalar of named) {
    const place = at(scalar.range?.[0] ?? 0)
    const mediaType = mediaTypes[extname(scalar.value).toLowerCase()]
    if (!mediaType) {
      faults.push(
        `${place}${scalar.value}: a picture must be a file with the ending ${Object.keys(mediaTypes).join(', ')}`,
      )
      continue
    }
    const read = await readFile(resolve(dirname(path), scalar.value)).catch((error: Error) => error)
    if (read instanceof Error) faults.push(`${place}${scalar.value} cannot be read: ${read.message}`)
    else scalar.value = `data:${mediaType};base64,${read.toString('base64')}`
  }
  if (faults.length > 0) throw new CommandFailed(faults)
}

const isText = (node: unknown): node is Scalar<string> => isScalar(node) && typeof node.value === 'string'
