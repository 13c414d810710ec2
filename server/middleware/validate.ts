import type { Middleware } from 'koa'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Fault, firstFaults, invalid, listed } from '../../runtime/problem.js'
import { canonicalNames } from '../schema/canonical-names.js'
import { type DryPlan, everyFault } from '../schema/every-fault.js'
import { faultsOf } from '../schema/faults.js'
import { longLists } from '../schema/long-lists.js'
import { readQuery } from '../schema/query.js'

/** Checks the parameters of the path that the schema names, and answers 400 with every fault. */
export function validateParams(schema: TObject): Middleware {
  const read = readParams(schema)
  return (ctx, next) => {
    ctx.params = read(ctx.params)
    return next()
  }
}

/**
 * Reads parameters of a path by a schema: guids in any letter case, integers from their texts. One integer has one address, so
 * it has no sign and no leading zeros.
 * @throws Problem 400 with every fault.
 */
export function readParams<Params extends TObject>(
  schema: Params,
): (given: Record<string, string>) => Record<string, string> & Static<Params> {
  const check = checkOf(schema)
  const integers = Object.keys(schema.properties).filter(name => Type.IsInteger(schema.properties[name]))
  return given => {
    const numbers = integers.flatMap(name =>
      /^[1-9]\d{0,9}$/.test(given[name] ?? '') ? [[name, Number(given[name])]] : [],
    )
    const { value, faults } = check({ ...given, ...Object.fromEntries(numbers) })
    if (faults.length > 0) throw invalid(faults.map(fault => ({ ...fault, pointer: `/path${fault.pointer}` })))
    return value as Record<string, string> & Static<Params>
  }
}

const none = new URLSearchParams()

/** Checks the query parameters: names in any case, texts turned into the schema's types, unknown ones refused. */
export function validateQuery(schema: TObject | undefined): Middleware {
  const read = readQuery(schema)
  return (ctx, next) => {
    // To parse the whole address costs more than the check of a call that has no parameters.
    ctx.state.query = read(
      ctx.querystring === '' ? none : (ctx.URL?.searchParams ?? new URLSearchParams(ctx.querystring)),
    )
    return next()
  }
}

/**
 * Checks the body and answers 400 with every fault; member names are accepted in any case.
 * @param dry finds what is wrong with the rest of a body that the schema refuses.
 * @param optional a request without a body passes.
 */
export function validateBody(schema: TSchema, dry?: DryPlan, optional = false): Middleware {
  const check = checkOf(schema)
  return async (ctx, next) => {
    if (optional && ctx.state.body === undefined) return next()
    const { value, faults } = check(ctx.state.body)
    if (faults.length > 0)
      throw invalid(dry ? await everyFault(faults, value, dry, ctx.state.caller, ctx.params) : faults)
    ctx.state.body = value
    await next()
  }
}

/** Makes a check that finds the faults of a value, and gives its members the names of the schema. */
export function checkOf(schema: TSchema): (given: unknown) => { value: unknown; faults: Fault[] } {
  const validator = Compile(schema)
  const rename = canonicalNames(schema)
  const shorten = longLists(schema)
  return given => {
    const { value, faults } = rename(given)
    if (validator.Check(value)) return { value, faults }
    const short = shorten(value)
    if (short.tooMany) return { value, faults: [short.tooMany] }
    const found = firstFaults(faultsOf(validator.Errors(short.value), short, schema))
    return { value, faults: listed([...faults, ...found], short.leftOut) }
  }
}
