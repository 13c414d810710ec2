// What operators do to runs in the Temporal UI.
import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import type { Knex } from 'knex'
import { until } from './until.js'

/** An operator of a stack's Temporal, who knows jobs by their id. */
export const operatorOf = (client: Client, db: Knex) => {
  const runOf = async (jobId: string) => {
    const { workflow_id: workflowId } = await db('jobs').where({ id: jobId }).first('workflow_id')
    const handle = client.workflow.getHandle(workflowId)
    const { runId } = await until('the run is there', () => handle.describe().catch(() => undefined))
    return { handle, workflowId: String(workflowId), runId }
  }
  /**
   * The end of a run's first task, to which it can be reset. Of a run whose steps are local activities, the task ends when
   * it has shown a sign of life.
   */
  const firstTask = (workflowId: string, runId: string) =>
    until('a task of the workflow is completed', async () => {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory()
      return events?.find(each => each.workflowTaskCompletedEventAttributes)
    })
  /** Resets a run to the end of its first task. */
  const resetRun = async (workflowId: string, runId: string) => {
    const completed = await firstTask(workflowId, runId)
    await client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: completed.eventId ?? null,
      requestId: randomUUID(),
      reason: 'an operator said so',
    })
  }
  return {
    runOf,
    resetRun,
    /** Waits until a run can be reset: before, an operator can do nothing but start the job again. */
    async resettable(jobId: string) {
      const { workflowId, runId } = await runOf(jobId)
      await firstTask(workflowId, runId)
    },
    async reset(jobId: string) {
      const { workflowId, runId } = await runOf(jobId)
      await resetRun(workflowId, runId)
    },
    /** The outbox asks about jobs that were handed over 30 s ago; a test need not wait for that. */
    age: (jobId: string) =>
      db('jobs')
        .where({ id: jobId })
        .update({ started_at: new Date(Date.now() - 60_000) }),
  }
}
