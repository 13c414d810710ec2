// Workers of providers with limits: as many as are in use, and one for each in the cluster.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { newTenant, type Tenant } from '../support/api.js'
import { limitedSite } from '../support/provider.js'
import { type Stack, startStack } from '../support/stack.js'
import { until } from '../support/until.js'

const others = 199
let stack: Stack
let site: Awaited<ReturnType<typeof limitedSite>>
let tenant: Tenant
beforeAll(async () => {
  stack = await startStack()
  site = await limitedSite(stack)
  tenant = await newTenant(
    stack.baseUrl,
    {},
    { glue: site.glueWith({ requestsPerSecond: 10, concurrency: 2 }, others) },
  )
})
afterAll(async () => {
  await site?.stop()
  await stack?.stop()
})

/** Counts the workers of single providers that a process has started. */
const started = (log: string) =>
  readFileSync(join(stack.dataDir, 'logs', log), 'utf8')
    .split('\n')
    .filter(line => line.includes('provider started') && line.includes('"queue":"provider/')).length

test('of 200 providers with limits only the one that is called has a worker', async () => {
  expect(await site.callAtOnce(tenant, 5)).toEqual(Array(5).fill('200 answered'))
  expect(started('worker.log')).toBe(1)
})

test('with two worker processes a provider gets its calls two at a time, and goes on when its worker ends', async () => {
  const db = connect(stack.databaseUrl, { poolSize: 1 })
  stack.addWorker()
  await until('both work', async () => (await db('worker_heartbeats').where({ queue: 'calls' })).length === 2)
  site.seen.maxInFlight = 0
  const calls = site.callAtOnce(tenant, 25)
  await until('some calls are made', async () => site.seen.arrivals.length > 10)
  process.kill(Number(stack.worker.pid), 'SIGTERM')
  expect(await calls).toEqual(Array(25).fill('200 answered'))
  expect(site.seen.maxInFlight).toBe(2)
  await db.destroy()
})

test('a worker polls only the queues in WORKER_QUEUES', async () => {
  const db = connect(stack.databaseUrl, { poolSize: 1 })
  const own = ['background', 'calls'].map(queue => ({ queue, process: stack.addWorker({ WORKER_QUEUES: queue }) }))
  const beats = async () => {
    const rows: { worker: string; queue: string }[] = await db('worker_heartbeats').select('worker', 'queue')
    return own.map(({ process }) => rows.filter(row => row.worker.includes(`/${process.pid}/`)).map(row => row.queue))
  }
  await until('both work', async () => (await beats()).every(queues => queues.length > 0))
  expect(await beats()).toEqual(own.map(({ queue }) => [queue]))
  await db.destroy()
})
