// Random keys.
import { randomBytes } from 'node:crypto'

/** A key that no other test has. */
export const aKey = (prefix = 'm') => `${prefix}-${randomBytes(6).toString('hex')}`
