// Two APIs accept jobs while Temporal hangs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '../../support/api.js'
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
  const { tenant } = await tenantWithPlaces(stack.baseUrl)
  const clients = [tenant, api(second.baseUrl, tenant.token)]
  const keys = Array.from({ length: 60 }, (_, n) => `place-${n}`)
  const hung = Date.now()
  signal(stack.temporal, 'SIGSTOP')
  let jobs: JobBody[]
  try {
    const accepted = keys.map(async (key, n) => {
      const body = `Key,DisplayName,ParentKey,StructureTypeKey\n${key},${key},,place\n`
      const answer = await clients[n % 2]?.post<JobBody>(entityImportPath, body, csvType)
      expect(answer?.status).toBe(202)
      return answer?.body
    })
    jobs = (await Promise.all(accepted)).flatMap(job => job ?? [])
    // The outbox has tried to start them, too.
    await until('Temporal has hung for 20 s', async () => Date.now() - hung > 20_000)
  } finally {
    signal(stack.temporal, 'SIGCONT')
  }
  for (const { jobId } of jobs)
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 1 } })

  const query = `TenantKey = '${tenant.tenantKey}' AND JobKind = 'structuralEntityImport'`
  const { count } = await until('Temporal lists every run as completed', async () => {
    const completed = await temporal.client.workflow.count(`${query} AND ExecutionStatus = 'Completed'`)
    return completed.count >= keys.length && temporal.client.workflow.count(query)
  })
  expect(count).toBe(keys.length)
  expect((await keysOf(tenant, paths.entities)).sort()).toEqual(keys.sort())
})
