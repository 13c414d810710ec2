// Answers calls of endpoints that only read within their request, without a run in Temporal.
import { setTimeout as sleep } from 'node:timers/promises'
import { temporalNow } from '../../../runtime/temporal/temporal-clock.js'
import {
  attempts,
  type CalledRun,
  type EndpointOutcome,
  type RunState,
  runBudgetMs,
} from '../../../workflows/glue/contracts.js'
import { pauseAfter } from '../../../workflows/jobs/contracts.js'
import { type StepRunner, StepsFailed } from './step-runner.js'

/**
 * Runs an endpoint's pipeline in this process, with the steps, attempts and limits of a run in Temporal. If the process
 * ends, the caller has no answer and may call again, because every call of such a pipeline may be repeated.
 */
export type AnswerDirectly = (run: CalledRun) => Promise<EndpointOutcome>

export const createDirectCalls =
  (steps: Pick<StepRunner, 'run'>): AnswerDirectly =>
  async run => {
    const deadline = temporalNow() + runBudgetMs
    let state: RunState = { next: 0, outputs: {} }
    for (let attempt = 1; ; attempt++) {
      try {
        const done = await steps.run({ run, state, deadline }, { attempt })
        if ('answer' in done) return done
        state = done.state
        attempt = 0
      } catch (error) {
        if (!(error instanceof StepsFailed)) throw error
        const pauseMs = error.retryAfterMs || pauseAfter(attempt, attempts)
        if (!error.retryable || temporalNow() + pauseMs >= deadline) return { problem: error.problem }
        await sleep(pauseMs)
      }
    }
  }
