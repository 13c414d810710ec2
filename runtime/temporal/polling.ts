// Watches whether the workers of this process poll their task queues.
import { isNotFound, type Temporal } from './calls.js'

/** How long a worker may fail again and again while Temporal answers, in ms. */
const failingLimitMs = 60_000
/** A worker that has run for this long without failing is in order, in ms. */
const steadyMs = 30_000
/** How long Temporal may take to answer the probe, in ms. */
const answerMs = 3_000

/** A worker that is started again whenever it fails. */
export interface PollingWorker {
  /** Tells whether it polls its queue. */
  isRunning(): boolean
  /** Returns for how long it has been failing or starting, in ms; 0 if it has polled for a while. */
  failingMs(): number
}

/** Records the starts and ends of a worker that is started again whenever it fails. */
export function createFailureClock() {
  let startedAt: number | undefined
  let failingSince: number | undefined = performance.now()

  function failingMs(): number {
    const now = performance.now()
    if (startedAt !== undefined && now - startedAt > steadyMs) failingSince = undefined
    return failingSince === undefined ? 0 : now - failingSince
  }

  return {
    started: () => {
      startedAt = performance.now()
    },
    ended: () => {
      if (failingMs() === 0) failingSince = performance.now()
      startedAt = undefined
    },
    failingMs,
  }
}

export interface Polling {
  /** Tells of each queue whether its worker polls. */
  states(): Record<string, boolean>
  /**
   * Tells whether this process should go on. It is false once a worker has failed for a minute although Temporal
   * answers, which only a restart may mend. While Temporal is away it stays true, because a restart would not help.
   */
  isLive(): Promise<boolean>
}

/**
 * Watches the workers of a process.
 * @param workers by the queue that each polls.
 * @param temporal throws while there is no connection.
 */
export function watchPolling(workers: Record<string, PollingWorker>, temporal: () => Temporal): Polling {
  let awayAt = Number.NEGATIVE_INFINITY

  /** Any answer counts, also that the namespace does not exist. */
  const answers = async (): Promise<boolean> => {
    try {
      await temporal().call(
        ({ workflowService, options: { namespace } }) => workflowService.describeNamespace({ namespace }),
        answerMs,
      )
      return true
    } catch (error) {
      return isNotFound(error)
    }
  }

  return {
    states: () => Object.fromEntries(Object.entries(workers).map(([queue, worker]) => [queue, worker.isRunning()])),
    async isLive() {
      const longest = Math.max(0, ...Object.values(workers).map(worker => worker.failingMs()))
      if (longest < failingLimitMs) return true
      if (!(await answers())) awayAt = performance.now()
      return performance.now() - awayAt < failingLimitMs
    },
  }
}
