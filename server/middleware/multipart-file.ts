// Validates an uploaded file by its size and its first bytes.
import type { Readable } from 'node:stream'
import type { Fault } from '../../runtime/problems/problem.js'

export interface FileRules {
  /** Name of the form part. */
  name: string
  /** Content type for the API description. The content type that a caller sends is ignored. */
  type: string
  /** What the content must begin with. */
  magic: string
  maxBytes: number
  description: string
}

/** A file that does not satisfy the rules. */
export class RefusedFile extends Error {
  private constructor(
    readonly fault: Fault,
    /** Set if the file is of another kind. */
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
 * Checks the beginning of a file and returns its content, which throws if it exceeds the size limit.
 * @throws RefusedFile if the file is empty or of another kind, before anything of it is passed on.
 */
export async function checkedFile(stream: Readable, rules: FileRules): Promise<AsyncIterable<Buffer>> {
  // The stream must survive when we stop, so that the parts after the file can be read.
  const pieces: AsyncIterableIterator<Buffer> = stream.iterator({ destroyOnReturn: false })
  let first = Buffer.alloc(0)
  while (first.length < rules.magic.length) {
    const { done, value } = await pieces.next()
    if (done) break
    first = Buffer.concat([first, value])
  }
  if (!first.toString('latin1').startsWith(rules.magic)) {
    // While the iterator is active, nobody else can read the rest of the stream.
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
