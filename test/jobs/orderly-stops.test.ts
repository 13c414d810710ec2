// Workers that are stopped in order, as by a deployment, while a job is in a long step.
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import pino from 'pino'
import { expect, inject, test } from 'vitest'
import { doSteps } from '../../activities/jobs/do-steps.js'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { createJob } from '../../db/jobs/create.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { newId } from '../../runtime/ids.js'
import { unavailable } from '../../runtime/problems/problem.js'
import { createOutcomes } from '../../runtime/temporal/outcomes.js'
import { newTenant } from '../support/api.js'
import { openDatabase } from '../support/factories.js'

const db = openDatabase()

test('a job whose worker is stopped in order again and again is not failed, and its crashes stay counted', async () => {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  const tenant = await tenantIdOf(db, tenantKey)
  const id = newId()
  const work = { kind: 'subjectTransfer', queue: 'background', actor: 'somebody', traceId: newId(), total: 1 } as const
  await db.transaction(trx => createJob(trx, tenant, { ...work, id, workflowId: id, input: {} }))
  const run = { workflowId: id, runId: newId() }
  const store = jobStore(db, tenant)
  await store.assignRun(id, run.runId, null)
  const temporal = () => {
    throw unavailable('The workflow service')
  }
  const dependencies = { db, log: pino({ level: 'silent' }), temporal, jobEnds: createOutcomes<true>() }
  /** An attempt that is in its step when its worker is stopped. */
  const stopped = async (attempt: number): Promise<void> => {
    const info = { attempt, workflowExecution: run, scheduledTimestampMs: Date.now() }
    const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') })
    const next = () => {
      environment.cancel('WORKER_SHUTDOWN')
      return environment.context.cancelled
    }
    const attempted = environment.run(() => doSteps(dependencies, { tenantKey, jobId: id }, async () => ({ next })))
    await expect(attempted).rejects.toThrow('WORKER_SHUTDOWN')
  }
  await store.countCrash(id)
  for (let attempt = 2; attempt <= 8; attempt++) await stopped(attempt)
  expect(await store.byId(id)).toMatchObject({ status: 'Accepted', problem: null })
  expect(await db('jobs').where({ tenant_id: tenant, id }).first('crashes')).toEqual({ crashes: 1 })
})
