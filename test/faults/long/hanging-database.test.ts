// A database that hangs.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { startDatabase } from '../../../dev/mariadb.js'
import { signal } from '../../support/faults.js'

const silenceTimeoutMs = 1_000

test('no process dies when the database hangs behind unused connections, and they are used again afterwards', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'armature-hanging-'))
  const server = await startDatabase({ dataDir, log: () => {} })
  const db = connect(server.url, { poolSize: 5, silenceTimeoutMs })
  onTestFinished(async () => {
    await db.destroy()
    await server.stop()
    await rm(dataDir, { recursive: true })
  })
  const uncaught: unknown[] = []
  const note = (error: unknown) => uncaught.push(error)
  process.on('uncaughtException', note)
  onTestFinished(() => void process.off('uncaughtException', note))

  await Promise.all([1, 2, 3].map(() => db.raw('SELECT SLEEP(0.1)')))
  signal(server.process, 'SIGSTOP')
  // Nobody uses the three connections, so nobody minds their silence.
  await sleep(3 * silenceTimeoutMs)
  expect(uncaught).toEqual([])
  await expect(db.raw('SELECT 1')).rejects.toThrow()
  signal(server.process, 'SIGCONT')
  const [rows] = await db.raw('SELECT 1 AS one')
  expect(rows).toEqual([{ one: 1 }])
})
