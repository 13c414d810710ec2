// Runs that fail again and again at the same place: counted, said, and ended after a while.
import type { WorkflowHandle } from '@temporalio/client'
import proto from '@temporalio/proto'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { tenantWithPlaces } from '../../support/factories.js'
import { acceptBulk, ended, placesOf } from '../../support/faults.js'
import { holdHierarchy, operatorOf, temporalClient } from '../../support/jobs.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

const { CommandType } = proto.temporal.api.enums.v1

let stack: Stack
let db: Knex
let temporal: Awaited<ReturnType<typeof temporalClient>>
beforeAll(async () => {
  stack = await startStack({ STUCK_RUN_MINUTES: '0.2' })
  db = connect(stack.databaseUrl, { poolSize: 1 })
  temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
})
afterAll(async () => {
  await temporal?.close()
  await db?.destroy()
  await stack?.stop()
})

const metrics = async () => (await fetch(`${stack.workerUrl}/metrics`)).text()

/** A job of an operator's making: its run is ended before its first step, and the next one is `begin`'s. */
async function jobOf(begin: (workflowId: string) => Promise<WorkflowHandle>) {
  const { tenant, model } = await tenantWithPlaces(stack.baseUrl)
  const batch = placesOf(6_000, 17)
  model.apply(batch)
  const hierarchy = await holdHierarchy(stack.databaseUrl, tenant.tenantKey)
  const { jobId } = await acceptBulk(tenant, batch)
  const { runOf, age } = operatorOf(temporal.client, db)
  const { handle, workflowId } = await runOf(jobId)
  await handle.terminate('another one comes')
  const run = await begin(workflowId)
  await age(jobId)
  return {
    run,
    /** The job says what has happened, and a retry writes everything. */
    async isParked() {
      expect(await ended(tenant, jobId)).toMatchObject({
        status: 'Failed',
        problem: { type: '/problems/run-stuck', status: 500, detail: expect.stringContaining('over 0.2 minutes') },
      })
      await hierarchy.release()
      expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
      expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 6_000 } })
      expect(await model.differences(db, tenant.tenantKey)).toEqual([])
    },
  }
}

test.concurrent('a run whose workflow task always fails is ended, its job is Failed and says so; a run of another build is left alone', async () => {
  const other = await temporal.client.workflow.start('ofAnotherBuild', { workflowId: 'other', taskQueue: 'background' })
  // Without its input the workflow cannot begin.
  const { run, isParked } = await jobOf(workflowId =>
    temporal.client.workflow.start('structuralEntityBulkUpsert', { workflowId, taskQueue: 'background', args: [] }),
  )
  await isParked()
  await expect(run.result()).rejects.toMatchObject({ cause: { message: 'run-stuck' } })
  expect(await metrics()).toContain('armature_parked_runs_total{workflow_type="structuralEntityBulkUpsert"} 1')
  expect((await other.describe()).status.name).toBe('RUNNING')
  await until('the other one is counted', async () => (await metrics()).includes('armature_stuck_runs 1'))
  await other.terminate('the test is over')
})

test.concurrent('an activity that no build has is counted and tried again, then its run fails, and the job says so', async () => {
  const activity = 'ofAnotherBuild'
  const own = 'a queue of this test'
  const { client } = temporal
  const { run, isParked } = await jobOf(workflowId =>
    client.workflow.start('structuralEntityBulkUpsert', { workflowId, taskQueue: own, args: [] }),
  )
  const namespace = client.options.namespace
  /** Does the next workflow task of the queue, as a worker of that build does. */
  const answer = async (commandsOf: (events: proto.temporal.api.history.v1.IHistoryEvent[]) => object[]) => {
    const poll = { namespace, taskQueue: { name: own } }
    const { taskToken, history } = await client.withDeadline(Date.now() + 60_000, () =>
      client.workflowService.pollWorkflowTaskQueue(poll),
    )
    const commands = commandsOf(history?.events ?? [])
    await client.workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands })
  }
  await answer(() => [
    {
      commandType: CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
      scheduleActivityTaskCommandAttributes: {
        activityId: '1',
        activityType: { name: activity },
        taskQueue: { name: 'background' },
        startToCloseTimeout: { seconds: 60 },
        retryPolicy: { initialInterval: { seconds: 1 }, backoffCoefficient: 1 },
      },
    },
  ])
  const count = `armature_unknown_activities_total{activity="${activity}"}`
  await until('it is counted, and tried again', async () => {
    const line = (await metrics()).split('\n').find(each => each.startsWith(count))
    return Number(line?.split(' ')[1]) >= 2
  })
  await answer(events => {
    const failure = events.at(-3)?.activityTaskFailedEventAttributes?.failure
    expect(failure?.applicationFailureInfo).toMatchObject({ type: 'run-stuck', nonRetryable: true })
    // As the workflows of jobs do.
    return [
      {
        commandType: CommandType.COMMAND_TYPE_FAIL_WORKFLOW_EXECUTION,
        failWorkflowExecutionCommandAttributes: { failure },
      },
    ]
  })
  await expect(run.result()).rejects.toMatchObject({ cause: { type: 'run-stuck' } })
  await isParked()
})
