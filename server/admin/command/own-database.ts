// Connects commands to the database itself, for work that does not go through the API.
import type { Knex } from 'knex'
import { connect } from '../../../db/connect.js'
import { requireDatabase } from '../../../db/reachable.js'
import { type Config, readConfig } from '../../../runtime/settings/config.js'
import { CommandFailed } from './command-failed.js'

/** Runs a command with the database that the environment names. @throws CommandFailed if it cannot be used. */
export async function withDatabase(
  env: NodeJS.ProcessEnv,
  work: (db: Knex, config: Config) => Promise<void>,
): Promise<void> {
  let db: Knex | undefined
  try {
    const config = readConfig(env)
    await requireDatabase(config.databaseUrl)
    db = connect(config.databaseUrl, { poolSize: 1 })
    await work(db, config)
  } catch (error) {
    if (error instanceof CommandFailed || !(error instanceof Error)) throw error
    throw new CommandFailed([error.message])
  } finally {
    await db?.destroy()
  }
}
