// Validates path parameters, query parameters and bodies by schema.
import type { Middleware } from 'koa'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { largeWork } from '../../runtime/load/cooperative-work.js'
import { type Fault, invalid } from '../../runtime/problems/problem.js'
import { type Checked, checkOf, partsOf } from '../../runtime/schema/check.js'
import { storedKey } from '../../runtime/schema/key.js'
import { collectFaults, type DryPlan } from '../schema/collect-faults.js'
import { readQuery } from '../schema/query.js'

/** Creates middleware that checks the path parameters that the schema names. Answers 400 with every fault. */
export function validateParams(schema: TObject): Middleware {
  const read = readParams(schema)
  return (ctx, next) => {
    ctx.params = read(ctx.params)
    return next()
  }
}

/**
 * Creates a function that reads path parameters by a schema: guids in any letter case, integers from text. An integer
 * must have no sign and no leading zeros, so that each has only one address.
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

/** Puts the keys of a path into NFC, as all keys are stored. */
export const normalizeKeys: Middleware = (ctx, next) => {
  for (const [name, value] of Object.entries<string>(ctx.params))
    if (/key$/i.test(name)) ctx.params[name] = storedKey(value)
  return next()
}

const none = new URLSearchParams()

/**
 * Creates middleware that checks query parameters. Names match in any letter case, texts are converted to the schema's
 * types, and unknown parameters are refused.
 */
export function validateQuery(schema: TObject | undefined): Middleware {
  const read = readQuery(schema)
  return (ctx, next) => {
    // Skips parsing the URL without a query, because that costs more than the check itself.
    ctx.state.query = read(
      ctx.querystring === '' ? none : (ctx.URL?.searchParams ?? new URLSearchParams(ctx.querystring)),
    )
    return next()
  }
}

/**
 * Creates middleware that checks the body and answers 400 with every fault. Member names match in any letter case.
 * @param dry finds further faults in a body that the schema refuses.
 * @param optional lets requests without a body pass. A body of null is as if it were absent.
 */
export function validateBody(schema: TSchema, dry?: DryPlan, optional = false): Middleware {
  const parts = partsOf(schema)
  return async (ctx, next) => {
    if (optional && (ctx.state.body ?? undefined) === undefined) {
      ctx.state.body = undefined
      return next()
    }
    const { value, faults } = await checkInBlocks(ctx.state.body, parts)
    if (faults.length > 0)
      throw invalid(dry ? await collectFaults(faults, value, dry, ctx.state.caller, ctx.params) : faults)
    ctx.state.body = value
    await next()
  }
}

/** How many items of a list are checked at once, which takes some ms. */
const blockItems = 500

/** Checks a value, a long list in blocks. What is long within an object takes some 100 ms for 32 MB. */
async function checkInBlocks(
  given: unknown,
  { rename, isSound, faultsIn }: ReturnType<typeof partsOf>,
): Promise<Checked> {
  if (!Array.isArray(given) || given.length <= blockItems) {
    const { value, faults } = rename(given)
    return { value, faults: isSound(value) ? faults : faultsIn(value, faults) }
  }
  const faults: Fault[] = []
  let sound = true
  for (let first = 0; first < given.length; first += blockItems) {
    await largeWork.turn()
    const block = given.slice(first, first + blockItems)
    for (const fault of rename(block).faults) {
      const [, index, ...rest] = fault.pointer.split('/')
      faults.push({ ...fault, pointer: ['', Number(index) + first, ...rest].join('/') })
    }
    sound = isSound(block) && sound
    for (const [n, item] of block.entries()) given[first + n] = item
  }
  return { value: given, faults: sound ? faults : faultsIn(given, faults) }
}
