// Marks lists of bodies that are described as list or null.

/**
 * For an optional list whose absence means something else than an empty list. A null counts as absent anyway; described so,
 * generated Java sends null for a list that is not set, and not an empty one.
 */
export const nullIsAbsent = { publish: { type: ['array', 'null'] } } as const
