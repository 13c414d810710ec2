// Runs the migrations of the schema.
import { pathToFileURL } from 'node:url'
import { connect } from './connect.js'
import { migrationSource, steps } from './migrations/index.js'

/** For how long a step may take: on large tables it is hours. */
const hours = 12

/**
 * Migrates the schema to this version. A named lock of the server lets one process migrate while others wait, and ends
 * with its holder. A step that was interrupted is waited for, or done again.
 * @param all the steps of the schema; tests add some of their own.
 */
export async function migrate(databaseUrl: string, all = steps): Promise<void> {
  const db = connect(databaseUrl, { poolSize: 2, silenceMs: hours * 3_600_000, lockWaitSeconds: hours * 1_800 })
  try {
    await db.transaction(async lock => {
      const [[{ taken }]] = await lock.raw(
        "SELECT GET_LOCK(CONCAT('armature-migrate-', LEFT(DATABASE(), 40)), ?) AS taken",
        [hours * 3_600],
      )
      if (taken !== 1) throw new Error(`Another migration of this database has been running for ${hours} hours.`)
      const config = { migrationSource: migrationSource(all), tableName: 'schema_steps' }
      await db.migrate.forceFreeMigrationsLock(config)
      await db.migrate.latest(config)
      await lock.raw("SELECT RELEASE_LOCK(CONCAT('armature-migrate-', LEFT(DATABASE(), 40)))")
    })
  } finally {
    await db.destroy()
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const url = process.env.DATABASE_URL
  if (!url) throw new Error('DATABASE_URL is not set (mysql://user:password@host:port/database)')
  await migrate(url)
  console.log('The schema is up to date.')
}
