// Parse errors and evaluation errors of templates and expressions.
import { LRUCache } from 'lru-cache'

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

/** Parsed texts in the cache of one process. */
const maxParsed = 2_000

/** Parses each text once, as long as its result is in the cache. An error is not kept. */
export function parseOnce<T extends {}>(parse: (text: string) => T): (text: string) => T {
  const cache = new LRUCache<string, T>({ max: maxParsed })
  return text => {
    const known = cache.get(text)
    if (known) return known
    const parsed = parse(text)
    cache.set(text, parsed)
    return parsed
  }
}
