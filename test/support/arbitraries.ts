// Arbitrary values for property tests.
import fc, { type Arbitrary } from 'fast-check'

/** A record whose examples are printed as plain ones; every member is there. */
export const recordOf = <Value>(members: { [Name in keyof Value]: Arbitrary<Value[Name]> }): Arbitrary<Value> =>
  fc.record(members, { noNullPrototype: true })

/** What an arbitrary makes. */
export type Made<Of> = Of extends Arbitrary<infer Value> ? Value : never
