// Validates path parameters, query parameters and bodies by schema.
import type { Middleware } from 'koa'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Turn } from '../../runtime/load/event-loop-queue.js'
import { type Fault, invalid, pointerPart } from '../../runtime/problems/problem.js'
import { type Checked, checkOf, partsOf } from '../../runtime/schema/check.js'
import { collectFaults, type DryPlan } from '../schema/collect-faults.js'
import { readQuery } from '../schema/query.js'
import { mediumBodies } from './stranger-queue.js'

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
 * @param optional lets requests without a body pass.
 */
export function validateBody(schema: TSchema, dry?: DryPlan, optional = false): Middleware {
  const check = blockCheckOf(schema)
  return async (ctx, next) => {
    if (optional && ctx.state.body === undefined) return next()
    const { value, faults } = await check(ctx.state.body, ctx.state.pieces ?? mediumBodies.turn)
    if (faults.length > 0)
      throw invalid(dry ? await collectFaults(faults, value, dry, ctx.state.caller, ctx.params) : faults)
    ctx.state.body = value
    await next()
  }
}

/** How many items of a list are checked at once, which takes some ms. */
const blockItems = 500

/**
 * Works like {@link checkOf}, but checks a long list in blocks, if it is the body or a member of it.
 * @param turn resolves when the next block may be checked.
 */
export function blockCheckOf(schema: TSchema): (given: unknown, turn: Turn) => Promise<Checked> {
  const { rename, isSound, faultsIn } = partsOf(schema)
  const check = checkOf(schema)
  const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > blockItems

  return async (given, turn) => {
    const faults: Fault[] = []
    let sound = true

    /**
     * Checks a list in blocks.
     * @param holder returns the value with a block in place of the list.
     */
    async function bufferLines(list: unknown[], at: string, holder: (block: unknown[]) => unknown): Promise<void> {
      for (let first = 0; first < list.length; first += blockItems) {
        await turn()
        const block = list.slice(first, first + blockItems)
        const renamed = rename(holder(block))
        sound = isSound(renamed.value) && sound
        for (const [n, item] of block.entries()) list[first + n] = item
        for (const fault of renamed.faults) faults.push({ ...fault, pointer: shiftPointer(fault.pointer, at, first) })
      }
    }

    if (isLong(given)) {
      await bufferLines(given, '', block => block)
      return { value: given, faults: sound ? faults : faultsIn(given, faults) }
    }
    const lists = new Map(
      Object.values(Object(given)).flatMap(list => (isLong(list) ? [[list.slice(0, 1), list]] : [])),
    )
    if (lists.size === 0) return check(given)
    const heads = new Map([...lists].map(([head, list]) => [list, head]))
    const members = Object.entries(Object(given)).map(([name, value]) => [
      name,
      isLong(value) ? heads.get(value) : value,
    ])
    const shell = rename(Object.fromEntries(members))
    faults.push(...shell.faults)
    const value: Record<string, unknown> = Object(shell.value)
    for (const [name, head] of Object.entries(value)) {
      const list = Array.isArray(head) ? lists.get(head) : undefined
      if (list) await bufferLines(list, `/${pointerPart(name)}`, block => ({ ...value, [name]: block }))
    }
    for (const [name, head] of Object.entries(value)) {
      const list = Array.isArray(head) ? lists.get(head) : undefined
      if (list) value[name] = list
    }
    return { value, faults: sound ? faults : faultsIn(value, faults) }
  }
}

/**
 * Converts a pointer within a block into one within the whole list.
 * @param at pointer of the list.
 * @param first index of the block's first item.
 */
function shiftPointer(pointer: string, at: string, first: number): string {
  if (!pointer.startsWith(`${at}/`)) return pointer
  const [index, ...rest] = pointer.slice(at.length + 1).split('/')
  return [at, Number(index) + first, ...rest].join('/')
}
