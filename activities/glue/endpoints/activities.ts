// The activities of endpoint runs.
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Outcomes } from '../../../runtime/temporal/outcomes.js'
import type { EndpointOutcome, EndpointSteps, StepsDone } from '../../../workflows/glue/contracts.js'
import { withHeartbeat } from '../../heartbeat.js'
import { type Attempt, type StepRunner, StepsFailed } from './step-runner.js'

interface EndpointDependencies {
  stepRunner: StepRunner
  /** The outcomes of runs that this process has finished, by workflow id. */
  outcomes: Outcomes<EndpointOutcome>
}

/** Creates the activities that run endpoints. */
export const endpointActivities = ({ stepRunner, outcomes }: EndpointDependencies) => ({
  /** Runs an endpoint's next steps, which make at most one call of a provider. */
  async runEndpointSteps(input: EndpointSteps): Promise<StepsDone> {
    const done = await attempted(outcomes, attempt => stepRunner.run(input, attempt))
    if ('answer' in done) outcomes.publish(presentRun(), done)
    return done
  },
})

const presentRun = (): string => Context.current().info.workflowExecution?.workflowId ?? ''

/**
 * Does work of a run within the present activity, with a heartbeat unless the activity is local. A failure that is not
 * retried is published as the outcome of the run.
 * @throws ApplicationFailure
 */
export async function attempted<T>(
  outcomes: Outcomes<EndpointOutcome>,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const context = Context.current()
  const { isLocal, attempt } = context.info
  const signal = context.cancellationSignal
  const go = () => work({ attempt, signal })
  try {
    return await (isLocal ? go() : withHeartbeat(go))
  } catch (error) {
    if (signal.aborted) throw await context.cancelled
    if (!(error instanceof StepsFailed)) throw error
    const { problem, retryable, retryAfterMs } = error
    if (!retryable) outcomes.publish(presentRun(), { problem })
    throw ApplicationFailure.create({
      type: problem.code,
      message: problem.detail,
      nonRetryable: !retryable,
      details: [problem],
      // Temporal reads a delay of 0 as "never retry".
      ...(retryAfterMs ? { nextRetryDelay: retryAfterMs } : {}),
    })
  }
}
