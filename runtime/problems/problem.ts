// Problems: errors that are answers, and the faults that they name.
import { type FaultCode, isFaultCode } from './fault-codes.js'
import { type CodeOf, isProblemCode, type ProblemCode, problemKinds } from './problem-codes.js'

/** One fault of a request: where, which rule, in words. `index` is the item of a batch, `key` the name of that item. */
export interface Fault {
  pointer: string
  code: FaultCode
  detail: string
  index?: number
  key?: string
}

export const fault = (pointer: string, code: FaultCode, detail: string): Fault => ({ pointer, code, detail })

/** Most faults of one answer. A caller that has mended these asks again; more of them are work and bytes for nobody. */
export const maxFaults = 500

/** The faults of a request, found one after the other until there is one more than an answer lists. */
export function firstFaults(found: Iterable<Fault>): Fault[] {
  const first: Fault[] = []
  for (const fault of found) if (first.push(fault) > maxFaults) break
  return first
}

/** As many faults as an answer lists; the last one says how many more there are. @param unseen faults that were counted only. */
export function listed(faults: Fault[], unseen = 0): Fault[] {
  const count = faults.length + unseen
  if (count <= maxFaults) return faults
  const first = faults.slice(0, maxFaults - 1)
  const detail = `At least ${count - first.length} more faults are not listed.`
  return [...first, { pointer: '', code: 'more-faults', detail }]
}

/** Longest key of an item that a fault repeats, in characters: as long as any valid key. */
const maxKeyLength = 255

/** Adds the key of its item to each fault of a batch. @param keyOf the key of the item at an index, where it has one. */
export const withKeys = (faults: readonly Fault[], keyOf: (index: number) => unknown): Fault[] =>
  faults.map(each => {
    const key = each.index === undefined ? undefined : keyOf(each.index)
    return typeof key === 'string' && key.length <= maxKeyLength ? { ...each, key } : each
  })

/** Runs work on a batch; the faults of its problem name the keys of their items. */
export async function namingKeys<T>(work: Promise<T>, keyOf: (index: number) => unknown): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw Problem.from({ ...error.toJSON(), faults: withKeys(error.faults, keyOf) })
  }
}

/** A problem as it crosses to Temporal and back. */
export interface ProblemJson {
  status: number
  code: ProblemCode
  title: string
  detail: string
  faults: Fault[]
  headers: Record<string, string>
}

/** A problem from where types do not reach, such as a failure in Temporal or a row of an earlier version. */
type UncheckedProblem = Pick<ProblemJson, 'detail' | 'headers'> & {
  code: string
  faults: (Omit<Fault, 'code'> & { code: string })[]
}

/**
 * An error that is an answer: thrown anywhere below the API, serialized in one place (RFC 9457).
 * `code` is the stable last part of the problem's `type`, and has its status and title in problem-codes.ts; `faults` names
 * every fault of the request, not the first.
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

  /** A code that no longer exists becomes `internal`, that of a fault `not-allowed`. */
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
 * For an outage of something we stand on. `outcome` says what became of the request where that is known: a database that
 * breaks off in a commit leaves it open.
 */
export const unavailable = (what: string, cause?: unknown, outcome = '') =>
  new Problem(
    'unavailable',
    `${what} cannot be reached at the moment. ${outcome}Please try again.`,
    [],
    { 'Retry-After': '5' },
    { cause },
  )

/** A member's name as part of a JSON pointer (RFC 6901). */
export const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function summary(faults: Fault[]): string {
  const first = faults[0]
  if (!first) return 'The request is not valid.'
  const where = first.pointer ? `${first.pointer}: ` : ''
  return faults.length === 1
    ? `${where}${first.detail}`
    : `${faults.length} faults; the first is ${where}${first.detail}`
}

/** Runs work that was written for batches on one item: its faults then point into the item, not into a batch. */
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
