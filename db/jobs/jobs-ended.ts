// Counts the jobs that a process has brought to their end.
import { Counter } from 'prom-client'
import { processMetrics } from '../../runtime/observe/metrics.js'

const jobEnds = new Counter({
  name: 'armature_job_ends_total',
  help: 'Jobs that ended in this process, by kind and outcome',
  labelNames: ['kind', 'outcome'],
  registers: [processMetrics],
})

/** Counts a job that has just ended. */
export const jobEnded = (kind: string, outcome: 'Completed' | 'Failed' | 'Cancelled'): void =>
  jobEnds.inc({ kind, outcome })
