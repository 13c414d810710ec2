import { Context } from '@temporalio/activity'
import type { EndpointSteps, StepsDone } from '../../workflows/glue/contracts.js'
import { alive } from '../alive.js'
import type { Goes } from './goes.js'

/** Activities that run endpoints. */
export const endpointActivities = ({ goes }: { goes: Goes }) => ({
  /** Runs an endpoint's next steps, at most one call of a provider among them. */
  async runEndpointSteps(input: EndpointSteps): Promise<StepsDone> {
    const context = Context.current()
    const { isLocal, attempt, workflowExecution } = context.info
    const signal = context.cancellationSignal
    const go = () => goes.next(input, { workflowId: workflowExecution?.workflowId ?? '', attempt, signal })
    try {
      return await (isLocal ? go() : alive(go))
    } catch (error) {
      if (signal.aborted) throw await context.cancelled
      throw error
    }
  },
})
