// Runs that were open when the platform was upgraded: they have the input of then, and their jobs name no run.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { writeChunks } from '../../db/jobs/chunks.js'
import { createJob } from '../../db/jobs/create.js'
import { newId } from '../../runtime/ids.js'
import { tenantWithPlaces } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { temporalClient } from '../support/jobs.js'

const db = connect(inject('databaseUrl'), { poolSize: 2 })
let temporal: Awaited<ReturnType<typeof temporalClient>>
beforeAll(async () => {
  temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
})
afterAll(() => Promise.all([temporal.close(), db.destroy()]))

const kind = 'structuralEntityBulkUpsert'

/** A bulk of one item whose job was accepted by another version, and its run as that version began it. */
async function bulk(queue: 'interactive' | 'background', job: { done?: { created: number } }) {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const { id: tenantId } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  const jobId = newId()
  const workflowId = `${tenant.tenantKey}/${kind}/${jobId}`
  const actor = `${tenant.tenantKey}-0`
  await db.transaction(async trx => {
    await createJob(trx, tenantId, {
      id: jobId,
      kind,
      queue,
      actor,
      workflowId,
      traceId: randomUUID(),
      total: 1,
      ...job,
    })
    await writeChunks(trx, tenantId, jobId, [[0, 'a', 1, 'created', 'A', null, 'place', null, 0]])
  })
  const args = [{ tenantKey: tenant.tenantKey, jobId, queue }]
  const run = await temporal.client.workflow.start(kind, { workflowId, taskQueue: queue, args })
  return { tenant, model, jobId, run }
}

test('a run that shows a small bulk which was written with its acceptance ends, and writes nothing', async () => {
  const { tenant, model, run } = await bulk('interactive', { done: { created: 1 } })
  expect(await run.result()).toMatchObject({ done: 1, total: 1 })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test.each(['interactive', 'background'] as const)(
  'a run of the queue %s does the job that it was begun for',
  async queue => {
    const { tenant, model, jobId, run } = await bulk(queue, {})
    model.apply([{ ...place('a'), DisplayName: 'A', CustomFieldValues: [] }])
    expect(await run.result()).toMatchObject({ done: 1, total: 1, counts: { created: 1 } })
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 1 } })
    expect((await db('jobs').where({ id: jobId }).first('run_id')).run_id).toBe(run.firstExecutionRunId)
  },
)
