// Starts a separate API process for a test.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { apiProgram } from '../../dev/own-processes.js'
import { freePort } from '../../dev/ports.js'
import { clockAhead, clockSeconds } from './modes.js'
import { refuseUndeclared } from './undeclared.js'

/**
 * Starts an API process with these settings, besides the required ones. It uses the shared database, and has no Temporal.
 * @param env the settings, or what makes them of the port.
 */
export async function startOwnApi(env: NodeJS.ProcessEnv | ((port: number) => NodeJS.ProcessEnv)) {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const settings = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: inject('databaseUrl'),
    ENCRYPTION_KEY: inject('encryptionKey'),
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    LOG_LEVEL: 'warn',
    ...clockAhead(clockSeconds),
    ...(typeof env === 'function' ? env(port) : env),
  }
  const { command, args } = apiProgram(settings)
  const started = spawn(command, args, { env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [started.stdout, started.stderr]) stream.on('data', chunk => (printed += chunk))
  const ended = once(started, 'close').then(() => ({ code: started.exitCode, printed }))
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    baseUrl,
    metricsUrl: `http://127.0.0.1:${metricsPort}`,
    port,
    pid: started.pid,
    /** Resolves with the exit code and the output when the process ends. */
    ended,
    /** Waits until the API answers. @throws Error with the output if the process ends before that. */
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
