// Transfers beside kills.
import { test } from 'vitest'
import { openDatabase } from '../../support/factories.js'
import { sharedStack } from '../../support/running-stack.js'
import { transferUnderFire } from '../../support/transfer-faults.js'

// The same with a million: test/faults/long/transfer-million.test.ts.
const count = 200_000

const stack = sharedStack()
const db = openDatabase()

test('a Move whose worker and database are killed, and its undo whose worker is: every assignment is right', () =>
  transferUnderFire(stack, db, {
    mode: 'Move',
    count,
    kills: [
      [0.1, stack.worker],
      [0.5, stack.database],
    ],
    undoKills: [[0.3, stack.worker]],
  }))

test('a Copy while API and Temporal are killed, and its undo while the database is: every assignment is right', () =>
  transferUnderFire(stack, db, {
    mode: 'Copy',
    count,
    kills: [
      [0, stack.api],
      [0.2, stack.temporal],
    ],
    undoKills: [[0.3, stack.database]],
  }))

// Longer than Temporal waits for a heartbeat: a second attempt begins while the first one holds its rows.
test('a Move, and its undo, whose worker hangs with the rows of a page: every assignment is right', () =>
  transferUnderFire(stack, db, {
    mode: 'Move',
    count,
    kills: [[0.1, stack.worker, 13_000]],
    undoKills: [[0.1, stack.worker, 13_000]],
  }))
