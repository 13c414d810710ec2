// Reads members of values whose type is unknown.

/** Returns a member of a value, or undefined if the value is not an object. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
