// Describes optional lists as list or null in the OpenAPI description.

/**
 * Options for an optional list for which absent differs from empty. Null counts as absent in any case. The description
 * says so because generated Java clients then send null for a list that is not set, instead of an empty list.
 */
export const nullIsAbsent = { publish: { type: ['array', 'null'] } } as const
