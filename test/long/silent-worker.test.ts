// A process whose worker polls nothing although Temporal answers.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, inject, test } from 'vitest'
import { workerProgram } from '../../dev/own-processes.js'
import { freePort } from '../../dev/ports.js'
import { send } from '../support/http.js'
import { startOwnApi } from '../support/own-api.js'
import { until } from '../support/until.js'

/** A namespace that is not there: Temporal answers, and gives no task. */
const gone = () => ({ TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: 'gone' })

let worker: ChildProcess | undefined
afterEach(async () => {
  if (!worker) return
  const ended = once(worker, 'close')
  worker.kill('SIGKILL')
  await ended
  worker = undefined
})

async function startWorker(env: NodeJS.ProcessEnv): Promise<string> {
  const port = await freePort()
  const settings = {
    PATH: process.env.PATH,
    DATABASE_URL: inject('databaseUrl'),
    ENCRYPTION_KEY: inject('encryptionKey'),
    WORKER_PORT: String(port),
    ...env,
  }
  const { command, args } = workerProgram(settings)
  worker = spawn(command, args, { env: settings, stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await until('the worker listens', () =>
    send(url, '/health/live').then(
      () => true,
      () => false,
    ),
  )
  return url
}

const asked = async (url: string, path: string) => {
  const { status, text } = await send(url, path)
  return [status, JSON.parse(text)]
}

test('a worker that polls nothing names its queues at once, and is not live after a minute', async () => {
  const url = await startWorker(gone())
  const checks = { process: 'ok', database: 'ok', background: 'down', calls: 'down' }
  expect(await asked(url, '/health/ready')).toMatchObject([503, { status: 'not ready', checks }])
  expect(await asked(url, '/health/live')).toMatchObject([200, { status: 'live' }])
  await until('it is not live', async () => (await send(url, '/health/live')).status === 503, 120_000)
})

test('an API whose worker polls nothing is not live after a minute', async () => {
  const api = await startOwnApi(gone())
  await api.live()
  await until('it is not live', async () => (await send(api.baseUrl, '/health/live')).status === 503, 120_000)
  expect((await send(api.baseUrl, '/health/ready')).status).toBe(200)
  await api.stop()
})

test('a worker without Temporal stays live, since a restart would not help', async () => {
  const url = await startWorker({ TEMPORAL_ADDRESS: '127.0.0.1:1' })
  const from = Date.now()
  while (Date.now() - from < 70_000) {
    await sleep(1_000)
    expect((await send(url, '/health/live')).status).toBe(200)
  }
})
