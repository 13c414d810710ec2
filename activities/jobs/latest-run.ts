// Reads the latest run of a workflow from Temporal.
import { WorkflowNotFoundError } from '@temporalio/client'
import type { Temporal } from '../../runtime/temporal/calls.js'

/**
 * Returns the latest run of a workflow, or undefined if Temporal has none.
 * @throws Problem 503 while Temporal is away.
 */
export async function latestRun(
  { call }: Pick<Temporal, 'call'>,
  workflowId: string,
): Promise<{ runId: string; status: string } | undefined> {
  try {
    const { runId, status } = await call(({ workflow }) => workflow.getHandle(workflowId).describe())
    return { runId, status: status.name }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}
