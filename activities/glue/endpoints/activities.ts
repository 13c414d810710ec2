// The activities of endpoint runs.
import { Context } from '@temporalio/activity'
import type { EndpointSteps, StepsDone } from '../../../workflows/glue/contracts.js'
import { withHeartbeat } from '../../heartbeat.js'
import type { Attempt, StepRunner } from './step-runner.js'

/** Does work of a run within the present activity, with a heartbeat unless the activity is local. */
export async function attempted<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
  const context = Context.current()
  const { isLocal, attempt, workflowExecution } = context.info
  const signal = context.cancellationSignal
  const go = () => work({ workflowId: workflowExecution?.workflowId ?? '', attempt, signal })
  try {
    return await (isLocal ? go() : withHeartbeat(go))
  } catch (error) {
    if (signal.aborted) throw await context.cancelled
    throw error
  }
}

/** Creates the activities that run endpoints. */
export const endpointActivities = ({ stepRunner }: { stepRunner: StepRunner }) => ({
  /** Runs an endpoint's next steps, which make at most one call of a provider. */
  runEndpointSteps: (input: EndpointSteps): Promise<StepsDone> => attempted(attempt => stepRunner.run(input, attempt)),
})
