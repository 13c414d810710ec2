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
}

const fault = {
  type: 'object',
  description: 'One fault of a request. docs/problems.md lists the codes.',
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
    status: { type: 'integer' },
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
  Problem: problemSchema({ type: 'string', description: 'Its last part is the stable code.' }),
}

/**
 * Describes the problem answers of an operation by status. Each status has a schema that lists its codes with their
 * meaning and next step; operations with the same codes share it.
 * @param isPage whether browsers get the problems as pages.
 */
export function problemAnswers(declared: Problems, components: Components, isPage = false): Json {
  const answers = [...problemsByStatus(declared)].map(([status, { name, codes }]) => {
    components.schemas[name] ??= problemSchema(typeOf(codes))
    const response = isPage ? `${name}Page` : name
    components.responses[response] ??= {
      description: codes.map(code => `\`${code}\``).join(', '),
      ...(waits.has(status)
        ? { headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } } }
        : {}),
      content: {
        'application/problem+json': { schema: { $ref: `#/components/schemas/${name}` } },
        ...(isPage ? { 'text/html': { schema: { type: 'string' } } } : {}),
      },
    }
    return [status, { $ref: `#/components/responses/${response}` }]
  })
  return Object.fromEntries(answers)
}

/** Statuses whose answers say when to try again. */
const waits = new Set([429, 503])

const typeOf = (codes: readonly ProblemCode[]) => ({
  type: 'string',
  enum: codes.map(code => `/problems/${code}`),
  description: codes.map(code => `- \`${code}\`: ${problemKinds[code].meaning} ${problemKinds[code].next}`).join('\n'),
})
