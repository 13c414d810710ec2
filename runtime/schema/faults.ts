// Translates validator errors into faults.
import type { TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import type { FaultCode } from '../problems/fault-codes.js'
import { type Fault, maxFaults, pointerPart } from '../problems/problem.js'
import type { Shortened } from './long-lists.js'

/** Raises the validator's limit, since each alternative of a union adds errors from which one fault is derived. */
Settings.Set({ maxErrors: 10 * maxFaults })

/** Converts the validator's errors to faults in our own words, one for each cause. */
export function* faultsOf(
  errors: readonly TLocalizedValidationError[],
  { value, original }: Pick<Shortened, 'value' | 'original'>,
  schema: TSchema,
): Generator<Fault> {
  const batch = Array.isArray(value)
  for (const error of relevant(errors)) {
    for (const { pointer: place, detail } of places(error, schema)) {
      const pointer = original(place)
      const index = batch ? Number(/^\/(\d+)/.exec(pointer)?.[1] ?? Number.NaN) : Number.NaN
      yield { pointer, code: codeOf(error), detail, ...(Number.isNaN(index) ? {} : { index }) }
    }
  }
}

/**
 * Reduces the errors of each union (`anyOf`) to those of the alternative that matches the value's kind. If a schema
 * allows an object or an array of objects, an array is reported as an array. Relies on the validator reporting a union
 * right after its alternatives.
 */
function relevant(errors: readonly TLocalizedValidationError[]): TLocalizedValidationError[] {
  const kept: TLocalizedValidationError[] = []
  for (const error of errors) {
    // The validator reports unknown members once for the object, which names them all, and again as `boolean` for each.
    if (error.keyword === 'boolean') continue
    if (error.keyword !== 'anyOf') {
      kept.push(error)
      continue
    }
    let first = kept.length
    while (first > 0 && isInside(kept[first - 1], error)) first--
    const inside = kept.splice(first)
    const alternativeOf = (one: TLocalizedValidationError) =>
      one.schemaPath.slice(error.schemaPath.length).split('/')[2]
    const ofAnotherKind = new Set(
      inside
        .filter(one => one.instancePath === error.instancePath && ['type', 'const', 'enum'].includes(one.keyword))
        .map(alternativeOf),
    )
    const telling = inside.filter(one => !ofAnotherKind.has(alternativeOf(one)))
    kept.push(...(telling.length > 0 ? telling : [{ ...error, message: `must be ${kindsOf(inside)}` }]))
  }
  return kept
}

/** Lists the kinds of value that a union accepts, in words. */
const kindsOf = (alternatives: readonly TLocalizedValidationError[]): string =>
  [...new Set(alternatives.flatMap(kindOf))].join(' or ')

function kindOf({ keyword, message, params }: TLocalizedValidationError): string[] {
  if (keyword === 'type') return [message.replace('must be ', '')]
  if (keyword === 'const') return [JSON.stringify(params.allowedValue)]
  return keyword === 'enum' ? params.allowedValues.map(String) : []
}

const isInside = (error: TLocalizedValidationError | undefined, union: TLocalizedValidationError): boolean =>
  (error?.schemaPath.startsWith(`${union.schemaPath}/anyOf/`) ?? false) &&
  (error?.instancePath.startsWith(union.instancePath) ?? false)

function* places(error: TLocalizedValidationError, schema: TSchema): Generator<{ pointer: string; detail: string }> {
  const at = error.instancePath
  if (error.keyword === 'required') {
    for (const name of error.params.requiredProperties) {
      yield { pointer: `${at}/${name}`, detail: `${name} is required.` }
    }
  } else if (error.keyword === 'additionalProperties') {
    for (const name of error.params.additionalProperties) {
      yield { pointer: `${at}/${pointerPart(name)}`, detail: `${name} is not known here.` }
    }
  } else {
    const description = error.keyword === 'pattern' && descriptionOf(error.schemaPath, schema)
    yield { pointer: at, detail: description ? `Its form is wrong. ${description}` : `${sentence(error)}.` }
  }
}

/** Returns the description of the schema at a path. It explains more than the pattern would. */
function descriptionOf(schemaPath: string, schema: TSchema): string | undefined {
  let found: unknown = schema
  for (const part of schemaPath.split('/').slice(1)) found = Object(found)[part]
  const { description } = Object(found)
  return typeof description === 'string' ? description : undefined
}

function sentence(error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case 'minLength':
      return error.params.limit === 1
        ? 'It must not be empty'
        : `It must have at least ${error.params.limit} characters`
    case 'maxLength':
      return `It must have at most ${error.params.limit} characters`
    case 'minItems':
      return `It must have at least ${error.params.limit} item${error.params.limit === 1 ? '' : 's'}`
    case 'maxItems':
      return `It must have at most ${error.params.limit} items`
    case 'minProperties':
    case 'maxProperties':
      return error.params.limit === 1
        ? 'It must have exactly one member, named for the data type'
        : `It must have at most ${error.params.limit} members`
    case 'pattern':
      return error.params.pattern === '\\S' ? 'It must not be blank' : `It ${error.message}`
    case 'enum':
      return `It must be one of ${error.params.allowedValues.join(', ')}`
    case 'format':
      if (error.params.format === 'uuid') return 'It must be a guid such as 01a2021e-2bc6-75d6-96df-5e3584818c80'
      if (error.params.format === 'date-time') return 'It must be a date-time such as 2026-11-27T08:30:00Z'
      return `It must be a ${error.params.format}`
    default:
      return `It ${error.message}`
  }
}

const codes: Record<string, FaultCode> = {
  required: 'required',
  type: 'wrong-type',
  anyOf: 'wrong-type',
  additionalProperties: 'unknown-member',
  minLength: 'too-short',
  maxLength: 'too-long',
  minItems: 'too-few',
  maxItems: 'too-many',
  minimum: 'out-of-range',
  maximum: 'out-of-range',
  exclusiveMinimum: 'out-of-range',
  enum: 'unknown-value',
  const: 'unknown-value',
  pattern: 'wrong-format',
  format: 'wrong-format',
  '~refine': 'wrong-format',
  minProperties: 'too-few',
  maxProperties: 'too-many',
}

const codeOf = (error: TLocalizedValidationError): FaultCode => codes[error.keyword] ?? 'not-allowed'
