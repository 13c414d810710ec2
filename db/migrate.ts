// Runs the migrations of the schema.
import { pathToFileURL } from 'node:url'
import { connect } from './connect.js'
import { migrationSource, steps } from './migrations/index.js'
import { withDatabase } from './reachable.js'

/** How long a migration step may take. On large tables that may be hours. */
const hours = 12

/**
 * Migrates the schema to the version of this program. A named lock of the server lets only one process migrate while others wait; the
 * server releases it if that process dies. The next process then does the interrupted step again, after waiting for any statement of it
 * that the server still runs.
 * @param all the steps of the schema; tests add some of their own.
 */
export async function migrate(databaseUrl: string, all = steps): Promise<void> {
  const db = connect(databaseUrl, { poolSize: 2, silenceTimeoutMs: hours * 3_600_000, lockWaitSeconds: hours * 1_800 })
  try {
    // A connection of its own, without a transaction: the server would end one that is idle while a step takes long.
    const connection = await db.client.acquireConnection()
    const onLock = (sql: string, values: number[]) => db.raw(sql, values).connection(connection)
    try {
      await onLock('SET wait_timeout = ?', [hours * 3_600])
      const [[row]] = await onLock("SELECT GET_LOCK(CONCAT('armature-migrate-', LEFT(DATABASE(), 40)), ?)", [
        hours * 3_600,
      ])
      // By its place, because VTGate names the column itself.
      if (Object.values(row)[0] !== 1)
        throw new Error(`Another migration of this database has been running for ${hours} hours.`)
      const config = { migrationSource: migrationSource(all), tableName: 'schema_steps' }
      await db.migrate.forceFreeMigrationsLock(config)
      await db.migrate.latest(config)
      await onLock("SELECT RELEASE_LOCK(CONCAT('armature-migrate-', LEFT(DATABASE(), 40)))", [])
    } finally {
      await db.client.releaseConnection(connection)
    }
  } finally {
    await db.destroy()
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await withDatabase(async url => {
    await migrate(url)
    console.log('The schema is up to date.')
  })
}
