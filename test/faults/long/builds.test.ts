// Upgrades where runs belong to the build that they begin in (WORKER_VERSIONING), under load.
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newTenant, type Tenant } from '../../support/api.js'
import { anotherBuild, type Cluster, type Member, startCluster, thisVersion, upgrade } from '../../support/cluster.js'
import { type AllowedServer, allowedServer } from '../../support/provider.js'
import { expectAllRight, more } from '../../support/rolling.js'
import { startTraffic, type Traffic } from '../../support/traffic.js'
import { until } from '../../support/until.js'

const settings = { WORKER_VERSIONING: 'true' }
const firstBuild = { ...thisVersion, settings }
const queues = ['interactive', 'background'] as const

let cluster: Cluster
let connection: Connection
let client: Client
let traffic: Traffic
let site: AllowedServer
let tenant: Tenant
let api: Member & { ownUrl: string }
let worker: Member
/** The provider's way to answer a request. */
let answer: (respond: () => void) => void
/** Of each queue. */
let buildsOfFirst: string[]

beforeAll(async () => {
  const { from: last } = await upgrade()
  cluster = await startCluster(last)
  connection = await Connection.connect({ address: cluster.temporalAddress })
  client = new Client({ connection })
  ;[api, worker] = await Promise.all([cluster.addApi(last), cluster.addWorker(last)])
  site = await allowedServer(cluster.providerPorts)
  site.answer((_, response) => answer(() => response.end('answered')))
  const glue = {
    providers: [{ key: 'limited', url: site.url, limits: { concurrency: 2 } }],
    endpoints: [
      { key: 'call', steps: [{ name: 'ask', httpRequest: { provider: 'limited', method: 'GET', url: '/' } }] },
    ],
  }
  tenant = await newTenant(cluster.baseUrl, {}, { glue })
  traffic = await startTraffic(cluster.baseUrl)
  await more(traffic)
})
afterAll(async () => {
  await traffic?.stop()
  await site?.stop()
  await connection?.close()
  await cluster?.stop()
})

/** The current build of each queue; empty where runs of the queue are not versioned. */
const currentBuilds = (): Promise<string[]> =>
  Promise.all(
    queues.map(async queue => {
      const request = { namespace: 'default', deploymentName: `armature-${queue}` }
      const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment(request)
      return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? ''
    }),
  )

const count = async (query: string): Promise<number> => (await client.workflow.count(query)).count

test('a version with builds takes over from one without', async () => {
  await cluster.migrateTo(thisVersion)
  const next = await cluster.addWorker(firstBuild)
  await more(traffic)
  await worker.stop()
  worker = next
  await more(traffic)
  const nextApi = await cluster.addApi(firstBuild)
  await more(traffic)
  await api.stop()
  api = nextApi
  await more(traffic)
  buildsOfFirst = await currentBuilds()
  const [build = ''] = buildsOfFirst
  expect(build).toMatch(/^\d+\.\d+\.\d+(-rc\.\d+)?-[0-9a-f]{12}$/)
  expect(buildsOfFirst).toEqual([build, build])
})

test('the next build gets new and waiting runs; short runs end in their own build, unless that is gone', async () => {
  const secondBuild = { ...(await anotherBuild()), settings }
  const next = await cluster.addWorker(secondBuild)
  await more(traffic)
  await worker.stop()
  worker = next
  const nextApi = await cluster.addApi(secondBuild)
  await more(traffic)

  // A run of the first build, which begins while the second one is current and needs a task after its process is gone.
  let respond: (() => void) | undefined
  answer = asked => {
    respond = asked
  }
  const caller = fetch(`${api.ownUrl}/glue/${tenant.tenantKey}/call`, { method: 'POST' }).catch(() => undefined)
  const release = await until('the provider is asked', async () => respond)
  await api.stop()
  await caller
  api = nextApi
  answer = asked => asked()
  release()
  const moved = `TenantKey = '${tenant.tenantKey}' AND ExecutionStatus = 'Completed'`
  await until('the run goes on in the second build', async () => (await count(moved)) === 1)

  await more(traffic)
  const [first] = buildsOfFirst
  const [second, background] = await currentBuilds()
  expect(second).not.toBe(first)
  expect(background).toBe(second)
  const inBoth = (queue: string) =>
    [first, second].map(build => `TemporalUsedWorkerDeploymentVersions = 'armature-${queue}:${build}'`).join(' AND ')
  await until('the run of the outbox goes on in the second build', async () => {
    return (await count(`WorkflowId STARTS_WITH 'platform/outbox' AND ${inBoth('background')}`)) > 0
  })
  expect(await count(`${inBoth('interactive')} AND TenantKey != '${tenant.tenantKey}'`), 'other short runs').toBe(0)
})

test('an older build that restarts takes nothing over until the current one is gone', async () => {
  const current = await currentBuilds()
  const older = await cluster.addWorker(firstBuild)
  await more(traffic)
  expect(await currentBuilds()).toEqual(current)
  await worker.stop()
  worker = older
  const [interactive] = current
  await until('the older build is current', async () => (await currentBuilds())[1] === buildsOfFirst[1])
  expect(await currentBuilds()).toEqual([interactive, buildsOfFirst[1]])
  await more(traffic)
})

test('without builds again, every run ends, and all data is right', async () => {
  const [nextApi, next] = await Promise.all([cluster.addApi(thisVersion), cluster.addWorker(thisVersion)])
  await Promise.all([api.stop(), worker.stop()])
  api = nextApi
  worker = next
  await until('no build is current', async () => (await currentBuilds()).every(build => build === ''))
  await more(traffic)
  await expectAllRight(cluster, traffic)
})
