// Two APIs accept jobs while Temporal hangs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, api } from '../../support/api.js'
import { tenantWithPlaces } from '../../support/factories.js'
import { ended, type JobBody, signal } from '../../support/faults.js'
import { keysOf, paths } from '../../support/frame.js'
import { csvType, entityImportPath } from '../../support/imports.js'
import { temporalClient } from '../../support/jobs.js'
import { startOwnApi } from '../../support/own-api.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
let temporal: Awaited<ReturnType<typeof temporalClient>>
let second: Awaited<ReturnType<typeof startOwnApi>>
beforeAll(async () => {
  temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  second = await startOwnApi({
    TEMPORAL_ADDRESS: stack.temporalAddress,
    IDENTITY_AUTHORITY: `${stack.baseUrl}/identity`,
  })
  await second.live()
})
afterAll(async () => {
  await second?.stop()
  await temporal?.close()
})

test('60 jobs that two APIs accept while Temporal hangs for 20 s have 60 runs, and each writes its rows once', async () => {
  // So many of a tenant that their uploads wait for each other, and none is told to come again.
  const tenants = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { tenant } = await tenantWithPlaces(stack.baseUrl)
      return { tenant, clients: [tenant, api(second.baseUrl, tenant.token)] }
    }),
  )
  const keys = Array.from({ length: 10 }, (_, n) => `place-${n}`)
  const accept = async (client: Api | undefined, key: string) => {
    const body = `Key,DisplayName,ParentKey,StructureTypeKey\n${key},${key},,place\n`
    const answer = await client?.post<JobBody>(entityImportPath, body, csvType)
    expect(answer?.status).toBe(202)
    return answer?.body.jobId ?? ''
  }
  const hung = Date.now()
  signal(stack.temporal, 'SIGSTOP')
  let jobs: string[][]
  try {
    jobs = await Promise.all(
      tenants.map(({ clients }) => Promise.all(keys.map((key, n) => accept(clients[n % 2], key)))),
    )
    // The outbox has tried to start them, too.
    await until('Temporal has hung for 20 s', async () => Date.now() - hung > 20_000)
  } finally {
    signal(stack.temporal, 'SIGCONT')
  }
  for (const [n, { tenant }] of tenants.entries()) {
    for (const jobId of jobs[n] ?? [])
      expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 1 } })
    const query = `TenantKey = '${tenant.tenantKey}' AND JobKind = 'structuralEntityImport'`
    const { count } = await until('Temporal lists every run as completed', async () => {
      const completed = await temporal.client.workflow.count(`${query} AND ExecutionStatus = 'Completed'`)
      return completed.count >= keys.length && temporal.client.workflow.count(query)
    })
    expect(count).toBe(keys.length)
    expect((await keysOf(tenant, paths.entities)).sort()).toEqual(keys.toSorted())
  }
})
