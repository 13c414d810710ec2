// An API process of a test's own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { apiProgram } from '../../dev/own-processes.js'
import { freePort } from '../../dev/ports.js'
import { refuseUndeclared } from './undeclared.js'

/** The API as a process of its own, with just these settings besides those it cannot do without. There is no Temporal. */
export async function startOwnApi(env: NodeJS.ProcessEnv) {
  const port = await freePort()
  const settings = {
    PATH: process.env.PATH,
    PORT: String(port),
    DATABASE_URL: inject('databaseUrl'),
    ENCRYPTION_KEY: inject('encryptionKey'),
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    LOG_LEVEL: 'warn',
    ...env,
  }
  const { command, args } = apiProgram(settings)
  const started = spawn(command, args, { env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [started.stdout, started.stderr]) stream.on('data', chunk => (printed += chunk))
  const ended = once(started, 'close').then(() => ({ code: started.exitCode, printed }))
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    baseUrl,
    port,
    pid: started.pid,
    /** Resolves with its exit code and what it has printed. */
    ended,
    /** Resolves when it answers. @throws Error with what it has printed when it ends before. */
    async live(): Promise<void> {
      for (;;) {
        if (started.exitCode !== null) throw new Error(`It ended, having printed:\n${printed}`)
        const isLive = await fetch(`${baseUrl}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        )
        if (isLive) return
        await sleep(50)
      }
    },
    async stop(): Promise<void> {
      started.kill('SIGKILL')
      await ended
      refuseUndeclared(printed)
    },
  }
}
