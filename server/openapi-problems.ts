// Describes problem answers in the OpenAPI description.
import { faultCodes } from '../runtime/problems/fault-codes.js'
import { type ProblemCode, problemKinds } from '../runtime/problems/problem-codes.js'
import { type Problems, problemsByStatus } from './problem-groups.js'

interface Json {
  [member: string]: unknown
}

/** Named parts of the description, to which operations refer. */
export interface Components {
  schemas: Json
  responses: Json
  /** Path of the public address; see `basePathOf`. */
  basePath: string
}

const fault = {
  type: 'object',
  description: 'One fault of a request. `/problems/{code}` explains its code.',
  required: ['pointer', 'code', 'detail'],
  properties: {
    pointer: { type: 'string', description: 'JSON pointer into the body, or /query/<name>, or /path/<name>.' },
    code: { type: 'string', enum: faultCodes },
    detail: { type: 'string' },
    index: { type: 'integer', description: 'Index of the item in a batch.' },
    key: { type: 'string', description: 'Key of the item, if it has one.' },
  },
}

/**
 * Creates the schema of a problem document (RFC 9457).
 * @param type the schema of its member `type`.
 */
const problemSchema = (type: object) => ({
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'traceId'],
  properties: {
    type,
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string' },
    traceId: { type: 'string', description: 'Finds the log lines of the request.' },
    errors: {
      type: 'array',
      description: 'Every fault of the request, 500 at most.',
      items: { $ref: '#/components/schemas/Fault' },
    },
  },
})

/** The schemas that all problems share. */
export const problemSchemas = {
  Fault: fault,
  Problem: problemSchema({
    type: 'string',
    description: 'Its last part is the stable code, and it is the address of a page about it.',
  }),
}

/**
 * Describes the problem answers of an operation by status. Each status has a schema that lists its codes with their
 * meaning and next step; operations with the same codes share it. The `default` is for statuses of later releases.
 * @param isPage whether browsers get the problems as pages.
 * @param isOpen whether a tenant's settings determine all other answers.
 */
export function problemAnswers(
  declared: Problems,
  components: Components,
  { isPage = false, isOpen = false }: { isPage?: boolean; isOpen?: boolean } = {},
): Json {
  const answers = [...problemsByStatus(declared)].map(([status, { name, codes }]) => {
    components.schemas[name] ??= problemSchema(typeOf(codes, components.basePath))
    const described = {
      description: codes.map(code => `\`${code}\``).join(', '),
      ...(waits.has(status)
        ? { headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } } }
        : {}),
    }
    return [status, referredAnswer(name, described, components, isPage)]
  })
  const others = { description: 'Any other problem. A later release may add some.' }
  return Object.fromEntries([
    ...answers,
    ...(isOpen ? [] : [['default', referredAnswer('Problem', others, components, isPage)]]),
  ])
}

/** Refers to a problem answer that operations share, and describes it if none of them has done so. */
function referredAnswer(schema: string, described: object, { responses }: Components, isPage: boolean): Json {
  const name = isPage ? `${schema}Page` : schema
  responses[name] ??= {
    ...described,
    content: {
      'application/problem+json': { schema: { $ref: `#/components/schemas/${schema}` } },
      ...(isPage ? { 'text/html': { schema: { type: 'string' } } } : {}),
    },
  }
  return { $ref: `#/components/responses/${name}` }
}

/** Statuses whose answers say when to try again. */
const waits = new Set([429, 503])

const typeOf = (codes: readonly ProblemCode[], basePath: string) => ({
  type: 'string',
  enum: codes.map(code => `${basePath}/problems/${code}`),
  description: codes.map(code => `- \`${code}\`: ${problemKinds[code].meaning} ${problemKinds[code].next}`).join('\n'),
})
