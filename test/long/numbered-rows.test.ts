// Deadlocks over the lock by which MariaDB, as it is installed, numbers the rows of a table.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import { insertFrom, insertRows } from '../../db/rows.js'
import { gate } from '../support/data-sets.js'
import { type DatabaseServer, isMysql, startServer } from '../support/database-servers.js'
import { until } from '../support/until.js'

const dir = mkdtempSync(join(tmpdir(), 'armature-numbered-'))
let server: DatabaseServer
let db: Knex
beforeAll(async () => {
  server = await startServer({ dataDir: dir, binaryLog: false, settings: ['--innodb-autoinc-lock-mode=1'] })
  // On a busy machine it takes long until the test has seen that one waits: neither must be given up meanwhile.
  db = connect(server.url, { poolSize: 4, lockWaitSeconds: 60, silenceTimeoutMs: 240_000 })
  await db.raw('CREATE TABLE things (id INT NOT NULL PRIMARY KEY) ENGINE=InnoDB')
  await db.raw('CREATE TABLE noted (n INT NOT NULL AUTO_INCREMENT PRIMARY KEY, id INT NOT NULL) ENGINE=InnoDB')
  await insertRows(db, 'things', ['id'], [[1], [2]])
})
afterAll(async () => {
  await db?.destroy()
  await server?.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function isWaiting(): Promise<boolean> {
  const root = await createConnection(server.login)
  try {
    const waiting = "SELECT trx_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
    const [rows] = await root.query<RowDataPacket[]>(waiting)
    return rows.length > 0
  } finally {
    await root.end()
  }
}

test('a writer that needs a number while another takes many, and waits for it, succeeds in the end', async () => {
  const { reached: hasRow, arrive } = gate()
  const failures: string[] = []
  const many = transaction(db, 'unqueued', async trx => {
    // Of a deadlock, the server ends the transaction that has written less.
    await insertRows(
      trx,
      'things',
      ['id'],
      Array.from({ length: 100 }, (_, n) => [n + 3]),
    )
    await hasRow
    await insertFrom(trx, 'noted', ['id'], trx('things').orderBy('id').select('id'))
  })
  const one = transaction(db, 'unqueued', async trx => {
    await trx('things').where({ id: 2 }).forUpdate()
    arrive()
    await until('the other one waits for it', isWaiting)
    await insertRows(trx, 'noted', ['id'], [[0]]).catch(error => {
      failures.push(error.code)
      throw error
    })
  })
  await Promise.all([many, one])
  expect(await db('noted').orderBy('id').pluck('id')).toEqual(Array.from({ length: 103 }, (_, id) => id))
  expect(failures).toEqual(isMysql ? [] : ['ER_AUTOINC_READ_FAILED'])
})
