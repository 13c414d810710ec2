// Counts the jobs that end in this process, as a metric.
import { Counter } from 'prom-client'
import { processMetrics } from '../../runtime/observe/metrics.js'

const jobEnds = new Counter({
  name: 'armature_job_ends_total',
  help: 'Jobs that ended in this process, by kind and outcome',
  labelNames: ['kind', 'outcome'],
  registers: [processMetrics],
})

/** Counts a job that has just ended. Call it once, in the process that ended the job. */
export const jobEnded = (kind: string, outcome: 'Completed' | 'Failed' | 'Cancelled'): void =>
  jobEnds.inc({ kind, outcome })
