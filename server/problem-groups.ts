// Lists the problems that an operation can answer, by its declaration.
import { type ProblemCode, problemKinds } from '../runtime/problems/problem-codes.js'

/** Problems that occur together, named after their cause. */
export const problemGroups = {
  /**
   * All operations. `validation` includes unknown query parameters; `busy` includes strangers who wait too long for a
   * turn.
   */
  any: ['validation', 'rate-limited', 'internal', 'busy', 'unavailable'],

  // These follow from an endpoint's declaration; `problemsOf` adds them.
  accessToken: ['unauthenticated', 'insufficient-scope', 'tenant-suspended'],
  /** Endpoints of forms never answer 401 (spec forms "Authentication"). */
  formsToken: ['forbidden', 'insufficient-scope', 'tenant-suspended'],
  /** For endpoints whose client itself must have the scope. All refusals are the same 401. */
  clientToken: ['unauthenticated', 'tenant-suspended'],
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

  /** All methods except GET, unless the endpoint only reads. Writes of a tenant are limited. */
  writes: ['too-many-writes'],

  // These depend on what a handler does; endpoints name them.
  /** The caller waits for a job and gets the problem with which it ended. */
  waits: ['job-cancelled', 'worker-crashed', 'run-stuck', 'run-ended'],
  /** Creates or updates a subject by its matching values. */
  upserts: ['subject-upsert-not-configured', 'ambiguous-match'],
  /** Imports corrected rows of an import. */
  corrections: ['no-import', 'import-not-written', 'subject-upsert-not-configured', 'no-rows'],
  /** Moves a form instance from one state to the next. */
  instanceSteps: ['instance-withdrawn', 'instance-changed', 'if-match-required', 'forbidden'],
  /** States of an instance that do not permit a step. */
  instanceStates: ['instance-is-new', 'instance-is-draft', 'instance-is-complete'],
  /** Uses the subject portal, which the tenant must have configured. */
  portal: ['portal-not-configured', 'self-access-not-enabled', 'third-party-access-not-enabled'],
  /** Calls a provider. */
  provider: [
    ...['provider-failed', 'provider-answer', 'provider-answer-no-text', 'provider-answer-no-rows', 'duplicate-row'],
    ...['too-many-vanished', 'pages-drifted', 'output-too-large', 'next-elsewhere', 'step-error'],
  ],
  /** Runs the steps of an endpoint that a tenant has configured. */
  steps: [
    ...['header-value', 'address-value', 'endpoint-failed', 'evaluation-ended', 'call-interrupted', 'run-ended'],
    ...['next-elsewhere', 'step-error'],
    ...[
      'provider-failed',
      'provider-answer-no-text',
      'provider-answer-no-rows',
      'output-too-large',
      'provider-timeout',
    ],
  ],
  /** The body of a call to such an endpoint: JSON, or a form without a file. */
  stepsBody: ['malformed-form', 'too-many-fields', 'file-in-form'],
  /** A few form fields without files, as a browser posts them. */
  smallForm: ['too-many-fields', 'body-too-large', 'unreadable-body', 'content-type', 'content-encoding'],
  /** The form of a page, as a browser posts it. */
  pageForm: [
    ...['action', 'malformed-form', 'unreadable-body', 'too-many-fields', 'body-too-large', 'page-too-large'],
    ...['content-type', 'content-encoding'],
  ],
} as const satisfies Record<string, readonly ProblemCode[]>

type ProblemGroup = keyof typeof problemGroups

/** The problems of an operation, as codes and groups. */
export type Problems = readonly (ProblemCode | ProblemGroup)[]

const isGroup = (name: string): name is ProblemGroup => Object.hasOwn(problemGroups, name)

const codesOf = (name: ProblemCode | ProblemGroup): readonly ProblemCode[] =>
  isGroup(name) ? problemGroups[name] : [name]

/** The problems that an operation can answer with one status. */
export interface ProblemsOfStatus {
  /** Names the set. Sets with the same name have the same codes. */
  name: string
  codes: ProblemCode[]
}

/** Returns the declared problems by status, in ascending order. */
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

/** Groups that most operations have, so they are left out of the names. */
const unnamed = new Set<string>(['any', 'accessToken', 'clientToken'])

const pascal = (name: string): string => name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
