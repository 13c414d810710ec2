// Moves runs that are pinned to a build without processes.
import type { Knex } from 'knex'
import { liveBuilds } from '../../db/jobs/workers.js'
import type { Log } from '../../runtime/observe/log.js'
import { versionName } from '../../runtime/process/build.js'
import { type CallTemporal, isNotFound } from '../../runtime/temporal/calls.js'

/** How many runs are moved at once. */
const pageSize = 1_000

/**
 * Moves runs that are pinned to a build without any process to the current build, which replays them. A build's
 * processes may stop before its runs end, and nobody else would continue those runs.
 */
export async function movePinnedRuns(db: Knex, call: CallTemporal, log: Log): Promise<void> {
  const live = (await liveBuilds(db)).map(({ queue, build }) => `'${versionName(queue, build)}'`)
  const elsewhere = live.length > 0 ? ` AND TemporalWorkerDeploymentVersion NOT IN (${live.join()})` : ''
  const query = `ExecutionStatus = 'Running' AND TemporalWorkflowVersioningBehavior = 'Pinned'${elsewhere}`
  try {
    const { executions } = await call(({ workflowService, options: { namespace } }) =>
      workflowService.listWorkflowExecutions({ namespace, query, pageSize }),
    )
    for (const { execution } of executions) if (execution) await move(call, execution, log)
  } catch (err) {
    // Temporal before 1.28 has no such attributes, and no pinned runs either.
    log.warn({ err }, 'runs whose build is gone could not be moved')
  }
}

async function move(call: CallTemporal, workflowExecution: { workflowId?: string | null }, log: Log): Promise<void> {
  try {
    await call(({ workflowService, options: { namespace, identity } }) =>
      workflowService.updateWorkflowExecutionOptions({
        namespace,
        identity,
        workflowExecution,
        workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
        updateMask: { paths: ['versioning_override'] },
      }),
    )
    log.warn({ workflowId: workflowExecution.workflowId }, 'a run goes on in the current build: its own is gone')
  } catch (error) {
    // The run has ended in the meantime.
    if (!isNotFound(error)) throw error
  }
}
