/** As many as there are phone numbers beginning with +33 6 39 98: these are kept for films and given to nobody. */
export const maxPeople = 10_000

/** The national id of the n-th of the demo's people, counted from 0. It belongs to nobody. */
export const nationalIdOf = (n: number): string => `DEMO${String(n + 1).padStart(5, '0')}`
