// Knows the clock of the Temporal server, which may differ from that of this process.
import { setTimeout as sleep } from 'node:timers/promises'
import proto from '@temporalio/proto'
import { Gauge } from 'prom-client'
import { processMetrics } from '../observe/metrics.js'
import type { CallTemporal } from './calls.js'

const { TaskQueueKind, TaskQueueType } = proto.temporal.api.enums.v1

/** How long a poll waits in vain, in ms. The server refuses shorter ones. */
const pollMs = 3_000
/** How often the server is asked whether the poll has arrived, and the pause in between, in ms. */
const [looks, pauseMs] = [20, 50]

/** A measurement that takes longer does not replace an earlier one, in ms. */
const exactMs = 1_000

/** Temporal's time at the moment 0 of `performance.now()`, in ms since 1970. Undefined until it has been measured. */
let origin: number | undefined

const skew = new Gauge({
  name: 'armature_clock_skew_seconds',
  help: 'How far the clock of this process is ahead of another one, by whose that is: database or temporal',
  labelNames: ['of'],
  registers: [processMetrics],
  collect() {
    if (origin !== undefined) this.set({ of: 'temporal' }, (Date.now() - temporalNow()) / 1_000)
  },
})

/** Sets the metric of how far this process's clock is ahead of the database's, in ms. */
export const tellSkewOfDatabase = (ms: number): void => skew.set({ of: 'database' }, ms / 1_000)

/**
 * Returns the present time of Temporal's clock, in ms since 1970. Compare times that Temporal has set only with this.
 * Until it has been measured, it is the time of this process.
 */
export const temporalNow = (): number => (origin === undefined ? Date.now() : Math.round(origin + performance.now()))

/**
 * Measures Temporal's clock. No call returns its time, so this polls a queue of its own and asks when the poll arrived.
 * @param name of the poller, unique to this process.
 * @throws Problem 503 if Temporal is away; Error if it does not tell.
 */
export async function measureTemporalClock(call: CallTemporal, name: string): Promise<void> {
  // A queue of this kind is on one host, which therefore knows of all its polls.
  const taskQueue = { name: `clock/${name}`, kind: TaskQueueKind.TASK_QUEUE_KIND_STICKY, normalName: 'clock' }
  const identity = `${name}/${performance.now()}`
  const sentAt = performance.now()
  const poll = call(
    ({ workflowService, options: { namespace } }) =>
      workflowService.pollWorkflowTaskQueue({ namespace, taskQueue, identity }),
    pollMs,
  )
  poll.catch(() => undefined)
  for (let look = 0; look < looks; look++) {
    await sleep(pauseMs)
    const askedAt = performance.now()
    const { pollers } = await call(({ workflowService, options: { namespace } }) =>
      workflowService.describeTaskQueue({
        namespace,
        taskQueue,
        taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
      }),
    )
    const tripMs = performance.now() - askedAt
    const at = pollers?.find(poller => poller.identity === identity)?.lastAccessTime
    if (!at) continue
    // A server that is slow at the moment tells too little.
    if (origin !== undefined && performance.now() - sentAt > exactMs) return
    origin = Number(at.seconds) * 1_000 + (at.nanos ?? 0) / 1e6 - (sentAt + tripMs / 2)
    return
  }
  throw new Error('Temporal does not tell when a poll arrived, so its clock is not known')
}
