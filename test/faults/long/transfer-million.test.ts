// A transfer of a million, and its undo, beside kills.
import { test } from 'vitest'
import { openDatabase } from '../../support/factories.js'
import { sharedStack } from '../../support/running-stack.js'
import { type Kill, transferUnderFire } from '../../support/transfer-faults.js'

const count = Number(process.env.FAULT_ASSIGNMENTS || 1_000_000)

const stack = sharedStack()
const db = openDatabase()

test.each(['Copy', 'Move'] as const)(
  'a %s of a million (or FAULT_ASSIGNMENTS), and its undo, while everything is killed: every assignment is right',
  async mode => {
    const kills = (): Kill[] => [
      [0.1, stack.worker],
      [0.2, stack.database],
      [0.3, stack.api],
      [0.4, stack.worker],
      [0.5, stack.temporal],
      [0.6, stack.worker],
      [0.7, stack.database],
    ]
    await transferUnderFire(stack, db, { mode, count, kills: kills(), undoKills: kills() })
  },
  1_200_000,
)
