// Limits how many writers of a tenant use the database at once. The others wait for their turn before they take a connection.
import { createKeyedQueue, type KeyedQueue, type QueueLimits } from '../runtime/load/keyed-queue.js'
import { Problem } from '../runtime/problems/problem.js'

/**
 * The most writers of a tenant that may wait. Two hundred slow writes (200 ms each, six at once) take almost the 8 s that the API waits
 * for a turn, so that any further writer would wait in vain.
 */
const maxWriters = 200

/** Creates the queue in which the writers at a pool wait for their turn, by tenant. */
export const createWriterQueue = <Key>(
  limits: Pick<QueueLimits, 'atOnce' | 'ofAll' | 'waitTimeoutMs'>,
): KeyedQueue<Key> =>
  createKeyedQueue({ ...limits, maxWaiting: maxWriters, late: waitedTooLong, tooMany: tooManyWrites })

const waitedTooLong = (): Problem =>
  new Problem(
    'busy',
    'The write waited too long for its turn behind other writes of the tenant. Nothing was changed. Please try again.',
    [],
    {
      'Retry-After': '1',
    },
  )

const tooManyWrites = (): Problem =>
  new Problem(
    'too-many-writes',
    'Too many writes of the tenant are waiting already. Nothing was changed. Send fewer at once, and try this one again later.',
    [],
    { 'Retry-After': '5' },
  )
