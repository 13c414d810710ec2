// The problems that an operation can answer, by its declaration.
import { type ProblemCode, problemKinds } from '../runtime/problem-codes.js'

/** Problems that come together, under the name of their cause. */
export const problemGroups = {
  /** Every operation. `validation` is also an unknown parameter of the query, `busy` a stranger's turn. */
  any: ['validation', 'rate-limited', 'internal', 'busy', 'unavailable'],

  // They follow from the declaration of an endpoint: `problemsOf` adds them.
  accessToken: ['unauthenticated', 'insufficient-scope'],
  /** Endpoints of forms never answer 401 (spec forms "Authentication"). */
  formsToken: ['forbidden', 'insufficient-scope'],
  /** The client itself needs the scope; then every refusal is the same 401. */
  clientToken: ['unauthenticated'],
  permission: ['forbidden'],
  path: ['malformed-request', 'not-found'],
  body: [
    ...['empty-body', 'not-utf-8', 'not-unicode', 'malformed-json', 'too-deep', 'unreadable-body'],
    ...['body-too-large', 'content-type', 'content-encoding'],
  ],
  largeBody: ['body-too-slow'],
  upload: ['empty-body', 'unreadable-body', 'body-too-large', 'content-type', 'content-encoding'],
  form: ['malformed-form', 'unreadable-body', 'too-many-fields', 'content-type', 'file-type', 'content-encoding'],
  key: ['idempotency-key', 'idempotency-key-reused'],
  cursor: ['foreign-cursor'],

  /** Every method but GET, where the endpoint does not say that it reads: a write takes a turn of the tenant's writers. */
  writes: ['too-many-writes'],

  // Endpoints name them, by the work of their handlers.
  /** The caller waits for a job, and gets the problem that has ended it. */
  waits: ['job-cancelled', 'worker-crashed', 'run-stuck', 'run-ended'],
  /** A subject is created or updated by its matching values. */
  upserts: ['subject-upsert-not-configured', 'ambiguous-match'],
  /** Corrected rows of an import are imported. */
  corrections: ['no-import', 'import-not-written', 'subject-upsert-not-configured', 'no-rows'],
  /** A step of a form instance, from one state to the next. */
  instanceSteps: ['instance-withdrawn', 'instance-changed', 'if-match-required', 'forbidden'],
  /** States of an instance that stand against a step. */
  instanceStates: ['instance-is-new', 'instance-is-draft', 'instance-is-complete'],
  /** The subject portal, as the tenant has set it up. */
  portal: ['portal-not-configured', 'self-access-not-enabled', 'third-party-access-not-enabled'],
  /** A provider is asked. */
  provider: ['provider-failed', 'provider-answer', 'provider-answer-no-text', 'duplicate-row', 'output-too-large'],
  /** The steps of an endpoint that a tenant has configured. */
  steps: [
    ...['header-value', 'endpoint-failed', 'evaluation-ended', 'call-interrupted', 'run-ended'],
    ...['provider-failed', 'provider-answer', 'provider-answer-no-text', 'output-too-large', 'provider-timeout'],
  ],
  /** The body of a call of such an endpoint: JSON, or a form without a file. */
  stepsBody: ['malformed-form', 'too-many-fields', 'file-in-form'],
  /** Some fields that a browser posts, without files. */
  smallForm: ['too-many-fields', 'body-too-large', 'unreadable-body', 'content-type', 'content-encoding'],
  /** The form of a page, as a browser posts it. */
  pageForm: [
    ...['action', 'malformed-form', 'unreadable-body', 'too-many-fields', 'body-too-large', 'page-too-large'],
    ...['content-type', 'content-encoding'],
  ],
} as const satisfies Record<string, readonly ProblemCode[]>

type ProblemGroup = keyof typeof problemGroups

/** Codes and groups of them, as an operation declares its problems. */
export type Problems = readonly (ProblemCode | ProblemGroup)[]

const isGroup = (name: string): name is ProblemGroup => Object.hasOwn(problemGroups, name)

const codesOf = (name: ProblemCode | ProblemGroup): readonly ProblemCode[] =>
  isGroup(name) ? problemGroups[name] : [name]

/** The problems that an operation can answer with one status. */
export interface ProblemsOfStatus {
  /** Names the set: two sets of a name are the same. */
  name: string
  codes: ProblemCode[]
}

/** The declared problems by their status, the lowest first. */
export function problemsByStatus(declared: Problems): Map<number, ProblemsOfStatus> {
  const byStatus = new Map<number, ProblemsOfStatus>()
  for (const each of declared) {
    for (const status of new Set(codesOf(each).map(code => problemKinds[code].status))) {
      const known = byStatus.get(status) ?? { name: `Problem${status}`, codes: [] }
      const added = codesOf(each).filter(code => problemKinds[code].status === status && !known.codes.includes(code))
      if (added.length === 0) continue
      const name = unnamed.has(each) ? known.name : `${known.name}${pascal(each)}`
      byStatus.set(status, { name, codes: [...known.codes, ...added] })
    }
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b))
}

/** Groups that most operations have. */
const unnamed = new Set<string>(['any', 'accessToken', 'clientToken'])

const pascal = (name: string): string => name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
