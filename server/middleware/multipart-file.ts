// Validates an uploaded file by size and leading bytes.
import type { Readable } from 'node:stream'
import type { Fault } from '../../runtime/problem.js'

export interface FileRules {
  /** Name of its part. */
  name: string
  /** Content type, for the description; what a caller says of the part is not looked at. */
  type: string
  /** The first bytes of the content. */
  magic: string
  maxBytes: number
  description: string
}

/** The file is not what the rules say. */
export class RefusedFile extends Error {
  private constructor(
    readonly fault: Fault,
    /** It is a file of another kind. */
    readonly otherKind = false,
  ) {
    super(fault.detail)
  }

  static missing = ({ name }: FileRules) =>
    new RefusedFile({ pointer: `/${name}`, code: 'required', detail: `${name} is required, and must not be empty.` })

  static tooLarge = ({ name, maxBytes }: FileRules) => {
    const detail = `It must not be larger than ${maxBytes / 1024 / 1024} MB.`
    return new RefusedFile({ pointer: `/${name}`, code: 'too-large', detail })
  }

  static otherKind = ({ name, type, magic }: FileRules) => {
    const detail = `It is not ${type}: its content does not begin with ${magic}.`
    return new RefusedFile({ pointer: `/${name}`, code: 'file-type', detail }, true)
  }
}

/**
 * The content of a file whose beginning is right; it throws where more comes than the rules allow.
 * @throws RefusedFile where the file is empty or of another kind, before anybody takes anything of it.
 */
export async function checkedFile(stream: Readable, rules: FileRules): Promise<AsyncIterable<Buffer>> {
  // Not destroyed when we stop: the parts after the file are still to be read.
  const pieces: AsyncIterableIterator<Buffer> = stream.iterator({ destroyOnReturn: false })
  let first = Buffer.alloc(0)
  while (first.length < rules.magic.length) {
    const { done, value } = await pieces.next()
    if (done) break
    first = Buffer.concat([first, value])
  }
  if (!first.toString('latin1').startsWith(rules.magic)) {
    // As long as the iterator is at it, nobody else can read the rest away.
    await pieces.return?.()
    throw first.length === 0 ? RefusedFile.missing(rules) : RefusedFile.otherKind(rules)
  }

  return (async function* () {
    let size = first.length
    yield first
    for await (const piece of pieces) {
      size += piece.length
      if (size > rules.maxBytes) throw RefusedFile.tooLarge(rules)
      yield piece
    }
  })()
}
