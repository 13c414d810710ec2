// Runs the migrations of the schema.
import { pathToFileURL } from 'node:url'
import type { Knex } from 'knex'
import { connect } from './connect.js'
import { duplicateSubjects } from './frame/subjects/duplicate-subjects.js'
import { migrationSource } from './migrations/index.js'

/** For how long a step may take: on large tables it is hours. */
const hours = 12

/**
 * Migrates the schema to this version. A named lock of the server lets one process migrate while others wait, and ends
 * with its holder. A step that was interrupted is waited for, or done again.
 * @param say receives the report on what an operator has to resolve, line by line, at every run until it is resolved.
 */
export async function migrate(databaseUrl: string, say: (line: string) => void = console.log): Promise<void> {
  const db = connect(databaseUrl, { poolSize: 2, silenceMs: hours * 3_600_000, lockWaitSeconds: hours * 1_800 })
  try {
    await db.transaction(async lock => {
      const [[{ taken }]] = await lock.raw(
        "SELECT GET_LOCK(CONCAT('armature-migrate-', LEFT(DATABASE(), 40)), ?) AS taken",
        [hours * 3_600],
      )
      if (taken !== 1) throw new Error(`Another migration of this database has been running for ${hours} hours.`)
      const config = { migrationSource, tableName: 'schema_steps' }
      await db.migrate.forceFreeMigrationsLock(config)
      await db.migrate.latest(config)
      await sayDuplicates(db, say)
      await lock.raw("SELECT RELEASE_LOCK(CONCAT('armature-migrate-', LEFT(DATABASE(), 40)))")
    })
  } finally {
    await db.destroy()
  }
}

/** Reports subjects that a migration made equal. The lines hold ids only, because values are personal data. */
async function sayDuplicates(db: Knex, say: (line: string) => void): Promise<void> {
  let count = 0
  for await (const { tenantKey, fields, ids } of duplicateSubjects(db)) {
    count++
    say(`Tenant '${tenantKey}': the subjects ${ids.join(', ')} have the same ${fields.join(' and ')}.`)
  }
  if (count === 0) return
  say(
    'Texts are compared in NFC and without white space at their ends, times without zone. That made the subjects above equal. Nothing was merged. ' +
      'An upsert of their values answers 409, and rows that providers send for them are left out, ' +
      'until all but one of each line have other values (PATCH /api/v2/subject/{id}).',
  )
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const url = process.env.DATABASE_URL
  if (!url) throw new Error('DATABASE_URL is not set (mysql://user:password@host:port/database)')
  await migrate(url)
  console.log('The schema is up to date.')
}
