// Filters lists by a range of times.
import Type from 'typebox'
import type { Fault } from '../runtime/problems/problem.js'
import type { PointerOf } from './paging.js'

/** The schema of an optional date-time. */
export const moment = (description: string) =>
  Type.Optional(
    Type.Refine(
      Type.String({ format: 'date-time', description }),
      value => !Number.isNaN(Date.parse(value)),
      () => 'must be a date-time',
    ),
  )

/** Reads the range `<name>From`, inclusive, to `<name>To`, exclusive. One that ends before it begins has a fault. */
export function readRange<Name extends string>(
  query: { [End in `${Name}From` | `${Name}To`]?: string | undefined },
  name: Name,
  at: PointerOf,
): { from: Date | undefined; to: Date | undefined; faults: Fault[] } {
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text))
  const [from, to] = [timeOf(query[`${name}From`]), timeOf(query[`${name}To`])]
  if (!from || !to || from <= to) return { from, to, faults: [] }
  const detail = `${name}From is after ${name}To.`
  return { from, to, faults: [{ pointer: at(`${name}From`), code: 'from-after-to', detail }] }
}
