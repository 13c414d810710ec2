// National ids of the demo's people.

/** How many people the demo has. Each has a phone number that begins with +33 6 39 98, a range reserved for fiction. */
export const maxPeople = 10_000

/** Returns the national id of the n-th person, counted from 0. No real person has such an id. */
export const nationalIdOf = (n: number): string => `DEMO${String(n + 1).padStart(5, '0')}`
