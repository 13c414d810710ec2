// Reads workflow runs from Temporal.
import { isGrpcServiceError } from '@temporalio/client'
import proto from '@temporalio/proto'
import type { Temporal } from '../../runtime/temporal/calls.js'

/** The status with which Temporal says that there is no such run. */
const grpcNotFound = 5

const { HistoryEventFilterType, EventType } = proto.temporal.api.enums.v1

/** A run as Temporal lists it. */
export interface ListedRun {
  workflowId: string
  runId: string
  type: string
}

/**
 * Lists the running workflows that a query finds, at most a thousand. It does not use the client's `list`, which would
 * decode the memo of each.
 */
export async function runningRuns({ call }: Temporal, query: string): Promise<ListedRun[]> {
  const running = { query: `ExecutionStatus = 'Running' AND ${query}`, pageSize: 1_000 }
  const { executions } = await call(({ workflowService, options: { namespace } }) =>
    workflowService.listWorkflowExecutions({ ...running, namespace }),
  )
  return executions.map(({ execution, type }) => ({
    workflowId: execution?.workflowId ?? '',
    runId: execution?.runId ?? '',
    type: type?.name ?? '',
  }))
}

/** The most runs that {@link deleteRunsOf} deletes before it returns. */
const deletedAtOnce = 200

/**
 * Deletes some of a tenant's runs with their histories, those that are running too. Temporal does so in the background, and lists them a
 * little longer.
 * @returns how many there were.
 */
export async function deleteRunsOf({ call }: Temporal, tenantKey: string): Promise<number> {
  const query = `TenantKey = '${tenantKey}'`
  const { executions } = await call(({ workflowService, options: { namespace } }) =>
    workflowService.listWorkflowExecutions({ query, pageSize: deletedAtOnce, namespace }),
  )
  for (const { execution: workflowExecution = null } of executions)
    await call(({ workflowService, options: { namespace } }) =>
      workflowService.deleteWorkflowExecution({ namespace, workflowExecution }),
    ).catch((error: unknown) => {
      // It is gone already.
      if (!isGrpcServiceError(error) || error.code !== grpcNotFound) throw error
    })
  return executions.length
}

/** Returns why a run has closed: the reason of its termination, or the type of its failure. */
export async function reasonOfEnd(
  { call }: Temporal,
  { workflowId, runId }: Pick<ListedRun, 'workflowId' | 'runId'>,
): Promise<string | undefined> {
  const { history } = await call(({ workflowService, options: { namespace } }) =>
    workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      historyEventFilterType: HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
    }),
  )
  const end = history?.events?.at(-1)
  return (
    end?.workflowExecutionTerminatedEventAttributes?.reason ??
    end?.workflowExecutionFailedEventAttributes?.failure?.applicationFailureInfo?.type ??
    undefined
  )
}

/** How many events are searched backwards. Signals may have arrived after the first failure. */
const lastEvents = 100

/**
 * Returns since when the workflow task of a run has been failing, in ms since 1970, or undefined if it is not failing.
 * The history contains only the first failure of a series; Temporal merely counts the later ones.
 */
export async function failingSince(
  { call }: Temporal,
  { workflowId, runId }: Pick<ListedRun, 'workflowId' | 'runId'>,
): Promise<number | undefined> {
  const { history } = await call(({ workflowService, options: { namespace } }) =>
    workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: lastEvents,
    }),
  )
  let since: number | undefined
  for (const { eventType, eventTime } of history?.events ?? []) {
    if (eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED) break
    const isFailure =
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED ||
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT
    if (isFailure) since = Number(eventTime?.seconds ?? 0) * 1000
  }
  return since
}
