// Turns of a tenant's writers, before they take a connection.
import { Problem } from '../runtime/problem.js'
import { createTurns, type Limits, type Turns } from '../runtime/turns.js'

/**
 * Two hundred slow writes (200 ms, six at once) take almost the 8 s that the API waits for a turn. Later writers would
 * wait in vain.
 */
const mostWriters = 200

/** Turns of writers at a pool, each by the key of its tenant. A turn is taken before a connection. */
export const writerTurns = <Key>(limits: Pick<Limits, 'atOnce' | 'ofAll' | 'waitMs'>): Turns<Key> =>
  createTurns({ ...limits, mostWaiting: mostWriters, late: turnTooLate, tooMany: tooManyWrites })

const turnTooLate = (): Problem =>
  new Problem('busy', 'Other writes wait before this one. Nothing was changed. Please try again.', [], {
    'Retry-After': '1',
  })

const tooManyWrites = (): Problem =>
  new Problem(
    'too-many-writes',
    'Too many writes of the tenant wait before this one. Nothing was changed. Send fewer at once, and this one again later.',
    [],
    { 'Retry-After': '5' },
  )
