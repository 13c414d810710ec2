// Moves runs that wait for a build which is gone.
import type { Client } from '@temporalio/client'
import type { Knex } from 'knex'
import { liveBuilds } from '../../db/jobs/workers.js'
import { versionName } from '../../runtime/build.js'
import type { Log } from '../../runtime/log.js'
import { isNotFound } from '../../runtime/temporal.js'

/** Most runs that one look moves. */
const pageSize = 1_000

/**
 * Gives runs that are pinned to a build without a process to the current build, where they replay. Otherwise they would wait for
 * ever: the processes of a build may end before its runs do.
 */
export async function movePinnedRuns(db: Knex, client: Client, log: Log): Promise<void> {
  const live = (await liveBuilds(db)).map(({ queue, build }) => `'${versionName(queue, build)}'`)
  const elsewhere = live.length > 0 ? ` AND TemporalWorkerDeploymentVersion NOT IN (${live.join()})` : ''
  const query = `ExecutionStatus = 'Running' AND TemporalWorkflowVersioningBehavior = 'Pinned'${elsewhere}`
  const { namespace } = client.options
  try {
    const { executions } = await client.workflowService.listWorkflowExecutions({ namespace, query, pageSize })
    for (const { execution } of executions) if (execution) await move(client, execution, log)
  } catch (err) {
    // A server before 1.28 has no such attributes, and no run that is pinned.
    log.warn({ err }, 'runs whose build is gone could not be moved')
  }
}

async function move(client: Client, workflowExecution: { workflowId?: string | null }, log: Log): Promise<void> {
  const { namespace, identity } = client.options
  try {
    await client.workflowService.updateWorkflowExecutionOptions({
      namespace,
      identity,
      workflowExecution,
      workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
      updateMask: { paths: ['versioning_override'] },
    })
    log.warn({ workflowId: workflowExecution.workflowId }, 'a run goes on in the current build: its own is gone')
  } catch (error) {
    // It has ended meanwhile.
    if (!isNotFound(error)) throw error
  }
}
