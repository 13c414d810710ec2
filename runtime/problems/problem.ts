// Defines problems, which are errors that become answers, and the faults they list.
import { type FaultCode, isFaultCode } from './fault-codes.js'
import { type CodeOf, isProblemCode, type ProblemCode, problemKinds } from './problem-codes.js'

/**
 * One mistake in a request: where it is, which rule it breaks, and an explanation. In a batch, `index` is the position
 * of the item and `key` its key.
 */
export interface Fault {
  pointer: string
  code: FaultCode
  detail: string
  index?: number
  key?: string
}

export const fault = (pointer: string, code: FaultCode, detail: string): Fault => ({ pointer, code, detail })

/** Maximum number of faults in one answer. Listing more would help nobody: a caller fixes these and tries again. */
export const maxFaults = 500

/** Collects faults until there is one more than an answer lists, which shows that the list is incomplete. */
export function firstFaults(found: Iterable<Fault>): Fault[] {
  const first: Fault[] = []
  for (const fault of found) if (first.push(fault) > maxFaults) break
  return first
}

/**
 * Shortens faults to as many as an answer lists; the last entry then says how many more there are.
 * @param unseen number of further faults that were only counted.
 */
export function listed(faults: Fault[], unseen = 0): Fault[] {
  const count = faults.length + unseen
  if (count <= maxFaults) return faults
  const first = faults.slice(0, maxFaults - 1)
  const detail = `At least ${count - first.length} more faults are not listed.`
  return [...first, { pointer: '', code: 'more-faults', detail }]
}

/** Maximum length of a key that a fault repeats, in characters. Valid keys are never longer. */
const maxKeyLength = 255

/**
 * Adds to each fault of a batch the key of its item. @param keyOf returns the key of the item at an index, if it has
 * one.
 */
export const withKeys = (faults: readonly Fault[], keyOf: (index: number) => unknown): Fault[] =>
  faults.map(each => {
    const key = each.index === undefined ? undefined : keyOf(each.index)
    return typeof key === 'string' && key.length <= maxKeyLength ? { ...each, key } : each
  })

/** Waits for work on a batch. If it fails with a problem, adds the keys of the items to its faults. */
export async function namingKeys<T>(work: Promise<T>, keyOf: (index: number) => unknown): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw Problem.from({ ...error.toJSON(), faults: withKeys(error.faults, keyOf) })
  }
}

/** A problem as it is passed to Temporal and back. */
export interface ProblemJson {
  status: number
  code: ProblemCode
  title: string
  detail: string
  faults: Fault[]
  headers: Record<string, string>
}

/**
 * A problem whose codes are unchecked, because it comes from a Temporal failure or from a row that an earlier version
 * wrote.
 */
type UncheckedProblem = Pick<ProblemJson, 'detail' | 'headers'> & {
  code: string
  faults: (Omit<Fault, 'code'> & { code: string })[]
}

/**
 * An error that becomes the answer to a request. It may be thrown anywhere below the API and is serialized in one place
 * (RFC 9457). `code` is the stable last part of the problem's `type`; problem-codes.ts has its status and title.
 * `faults` lists every fault of the request, not only the first.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly title: string
  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly faults: Fault[] = [],
    readonly headers: Record<string, string> = {},
    options?: { cause?: unknown },
  ) {
    super(detail, options)
    const { status, title } = problemKinds[code]
    this.status = status
    this.title = title
  }

  toJSON(): ProblemJson {
    const { status, code, title, message: detail, faults, headers } = this
    return { status, code, title, detail, faults, headers }
  }

  /** Restores a problem. An unknown code becomes `internal`, and that of a fault `not-allowed`. */
  static from({ code, detail, faults, headers }: UncheckedProblem): Problem {
    const known = faults.map(each => ({ ...each, code: isFaultCode(each.code) ? each.code : ('not-allowed' as const) }))
    return new Problem(isProblemCode(code) ? code : 'internal', detail, known, headers)
  }
}

export const invalid = (faults: Fault[], detail = summary(faults)) => new Problem('validation', detail, faults)

export const badRequest = (code: CodeOf<400>, detail: string) => new Problem(code, detail)

export const unauthenticated = (detail: string, error?: string) =>
  new Problem('unauthenticated', detail, [], {
    'WWW-Authenticate': `Bearer realm="armature"${error ? `, error="${error}"` : ''}`,
  })

export const forbidden = (detail: string, faults: Fault[] = []) => new Problem('forbidden', detail, faults)

export const notFound = (detail: string, faults: Fault[] = []) => new Problem('not-found', detail, faults)

export const conflict = (code: CodeOf<409>, detail: string, faults: Fault[] = []) => new Problem(code, detail, faults)

/**
 * Creates the problem for a service that we depend on and cannot reach. `outcome` tells the caller what became of the
 * request, if that is known: when a database connection breaks during a commit, it is not.
 */
export const unavailable = (what: string, cause?: unknown, outcome = '') =>
  new Problem(
    'unavailable',
    `${what} cannot be reached at the moment. ${outcome}Please try again.`,
    [],
    { 'Retry-After': '5' },
    { cause },
  )

/** Escapes a member's name for a JSON pointer (RFC 6901). */
export const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function summary(faults: Fault[]): string {
  const first = faults[0]
  if (!first) return 'The request is not valid.'
  const where = first.pointer ? `${first.pointer}: ` : ''
  return faults.length === 1
    ? `${where}${first.detail}`
    : `${faults.length} faults; the first is ${where}${first.detail}`
}

/** Waits for work on a batch of one item, and makes the pointers of its faults relative to that item. */
export async function asSingle<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const faults = error.faults.map(({ index: _, ...fault }) => ({
      ...fault,
      pointer: fault.pointer.replace(/^\/0/, ''),
    }))
    const detail = error.status === 400 ? summary(faults) : error.message
    throw new Problem(error.code, detail, faults, error.headers, { cause: error })
  }
}
