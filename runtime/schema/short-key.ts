// Defines the form of the keys of tenants and forms, which occur in URL paths.

export const shortKeyPattern = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'

const shortKey = new RegExp(shortKeyPattern)

export const isShortKey = (key: string): boolean => shortKey.test(key)
