// Counts the statements that a database server gets from everybody, traced or not.
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../db/connect.js'

/** Returns how many statements the server gets in these seconds, besides those that count them. */
export async function statementsWithin(databaseUrl: string, seconds: number): Promise<number> {
  const db = connect(databaseUrl, { poolSize: 1 })
  const questions = async () => Number((await db.raw("SHOW GLOBAL STATUS LIKE 'Questions'"))[0][0].Value)
  try {
    // The first one opens the connection, which takes statements of its own.
    await questions()
    const before = await questions()
    await sleep(seconds * 1_000)
    return (await questions()) - before - 1
  } finally {
    await db.destroy()
  }
}
