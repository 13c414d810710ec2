import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import type { Fault } from '../../runtime/problem.js'

// All faults are reported, not the first; a body that is wrong everywhere is cut here, so that the answer stays readable.
Settings.Set({ maxErrors: 1000 })

/** The validator's errors as faults in our words, one for each cause. */
export function faultsOf(errors: readonly TLocalizedValidationError[], value: unknown): Fault[] {
  const batch = Array.isArray(value)
  return relevant(errors).flatMap(error =>
    places(error).map(({ pointer, detail }) => {
      const index = batch ? Number(/^\/(\d+)/.exec(pointer)?.[1] ?? Number.NaN) : Number.NaN
      return { pointer, code: codeOf(error), detail, ...(Number.isNaN(index) ? {} : { index }) }
    }),
  )
}

/**
 * Of alternatives (`anyOf`), only what is wrong inside the alternative of the right kind is worth reading: for
 * "an object or an array of them", an array is judged as an array.
 */
function relevant(errors: readonly TLocalizedValidationError[]): TLocalizedValidationError[] {
  const unions = errors.filter(error => error.keyword === 'anyOf')
  const dropped = new Set<TLocalizedValidationError>()
  for (const union of unions) {
    const inside = errors.filter(
      error =>
        error !== union &&
        error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`) &&
        error.instancePath.startsWith(union.instancePath),
    )
    const branchOf = (error: TLocalizedValidationError) =>
      error.schemaPath.slice(union.schemaPath.length).split('/')[2] ?? ''
    const wrongKind = new Set(
      inside
        .filter(error => error.instancePath === union.instancePath && ['type', 'const', 'enum'].includes(error.keyword))
        .map(branchOf),
    )
    const telling = inside.filter(error => !wrongKind.has(branchOf(error)))
    for (const error of inside) if (!telling.includes(error)) dropped.add(error)
    if (telling.length > 0) dropped.add(union)
  }
  // `additionalProperties` is reported for the object and, as `boolean`, for each member: the former names them all.
  return errors.filter(error => !dropped.has(error) && error.keyword !== 'boolean')
}

function places(error: TLocalizedValidationError): { pointer: string; detail: string }[] {
  const at = error.instancePath
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map(name => ({ pointer: `${at}/${name}`, detail: `${name} is required.` }))
  }
  if (error.keyword === 'additionalProperties') {
    return error.params.additionalProperties.map(name => ({
      pointer: `${at}/${name}`,
      detail: `${name} is not known here.`,
    }))
  }
  return [{ pointer: at, detail: `${sentence(error)}.` }]
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
      return 'It must have exactly one member, named for the data type'
    case 'enum':
      return `It must be one of ${error.params.allowedValues.join(', ')}`
    case 'format':
      return `It must be a ${error.params.format}`
    default:
      return `It ${error.message}`
  }
}

const codes: Record<string, string> = {
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
  enum: 'unknown-value',
  const: 'unknown-value',
  pattern: 'wrong-format',
  format: 'wrong-format',
  '~refine': 'wrong-format',
}

const codeOf = (error: TLocalizedValidationError): string => codes[error.keyword] ?? error.keyword
