/** Where a template or an expression is wrong. Line and column count from 1. */
export interface TextFault {
  line: number
  column: number
  message: string
}

/** A template or an expression could not be worked out. The message says where and why, and holds none of the values. */
export class NotEvaluated extends Error {
  override readonly name = 'NotEvaluated'
  constructor(
    message: string,
    /** The name that means nothing, such as `request.body.x`, where that is the reason. */
    readonly missing?: string,
    /** The resource that ran out, where its process was ended for that. */
    readonly lacked?: 'time' | 'memory',
  ) {
    super(message)
  }
}

/** Most texts of which the parsed form is kept in a process; the one unused for longest goes first. */
const mostKept = 2_000

/** Makes something of a text, and keeps it for the next time. What it throws is not kept. */
export function kept<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return text => {
    const made = known.get(text) ?? make(text)
    known.delete(text)
    known.set(text, made)
    const [oldest] = known.keys()
    if (known.size > mostKept && oldest !== undefined) known.delete(oldest)
    return made
  }
}
