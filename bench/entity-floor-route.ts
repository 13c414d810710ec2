// Starts the bare route against which reads of an entity are compared.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { connect } from '../db/connect.js'
import type { Stack } from '../test/support/stack.js'

/**
 * Starts entity-floor.ts, a bare route that reads one entity. Like the API it runs in a session of its own, because
 * Linux divides processor time between sessions.
 */
export async function entityFloor({ databaseUrl }: Stack, tenantKey: string, entityKey: string) {
  const db = connect(databaseUrl, { poolSize: 1 })
  const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  await db.destroy()
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const program = fileURLToPath(new URL('./entity-floor.js', import.meta.url))
  const child = fork(program, [String(id), entityKey], { env, detached: true })
  const [address] = await once(child, 'message')
  const url = `http://127.0.0.1:${address.port}`
  return {
    url,
    async read() {
      const answer = await fetch(url)
      await answer.json()
      if (answer.status !== 200) throw new Error(`The floor is answered ${answer.status}`)
    },
    stop: () => child.kill(),
  }
}
