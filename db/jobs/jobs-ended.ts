// Counts the jobs that end in this process, as a metric.
import { Counter } from 'prom-client'
import { processMetrics } from '../../runtime/observe/metrics.js'
import { jobKinds } from '../../workflows/jobs/contracts.js'

const jobEnds = new Counter({
  name: 'armature_job_ends_total',
  help: 'Jobs that ended in this process, by kind and outcome',
  labelNames: ['kind', 'outcome'],
  registers: [processMetrics],
})

const outcomes = ['Completed', 'Failed', 'Cancelled'] as const

// Prometheus sees no increase in a series that begins at 1, so each begins at 0 with the process.
for (const kind of jobKinds) for (const outcome of outcomes) jobEnds.inc({ kind, outcome }, 0)

/** Counts a job that has just ended. Call it once, in the process that ended the job. */
export const jobEnded = (kind: string, outcome: (typeof outcomes)[number]): void => jobEnds.inc({ kind, outcome })
