// Waits for the end of a job.
import { type Job, JobFailed } from './problems.js'
import { pause, type Wait } from './repetition.js'

export interface WaitOptions {
  signal?: AbortSignal
  /** Called with the job each time it is read. */
  onProgress?: (job: Job) => void
  /** Called before each retry while the API does not answer. */
  onWait?: (wait: Wait) => void
  /** The longest time between two reads, in ms. Default 1,000. */
  pollMs?: number
}

const firstPollMs = 50

/**
 * Reads a job until it has ended.
 * @param read reads the job once.
 * @returns the completed job. @throws JobFailed if it failed or was cancelled; what `read` throws.
 */
export async function untilEnded(
  read: () => Promise<Job>,
  { signal, onProgress, pollMs = 1_000 }: WaitOptions,
): Promise<Job> {
  for (let waitMs = firstPollMs; ; waitMs = Math.min(waitMs * 1.5, pollMs)) {
    const job = await read()
    onProgress?.(job)
    if (job.status === 'Completed') return job
    if (job.status === 'Failed' || job.status === 'Cancelled') throw new JobFailed(job)
    await pause(waitMs, signal)
  }
}
