// Caches parsed templates and expressions, and defines their errors.
import { LRUCache } from 'lru-cache'

/** A syntax error in a template or an expression. Line and column count from 1. */
export interface TextFault {
  line: number
  column: number
  message: string
}

/**
 * Thrown when a template or an expression could not be evaluated. The message says where and why, without any values.
 */
export class NotEvaluated extends Error {
  override readonly name = 'NotEvaluated'
  constructor(
    message: string,
    /** The undefined name that caused the failure, such as `request.body.x`, if one did. */
    readonly missing?: string,
    /** The resource that ran out, if the evaluation was stopped for that. */
    readonly lacked?: 'time' | 'memory',
    /** The text with which an expression has ended itself by `$error` or `$assert`. It may contain values. */
    readonly said?: string,
  ) {
    super(message)
  }
}

/** Maximum number of parsed texts that each cache holds. */
const maxParsed = 2_000

/** Wraps a parser so that each text is parsed once while its result stays in the cache. Errors are not cached. */
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
