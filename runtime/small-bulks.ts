// Connects the run of a small bulk with the transaction of its caller.
import type { JobProgress } from '../workflows/jobs/contracts.js'

/** The small bulks of a process: the run of each, which Temporal gives to the same process, finds its write here. */
export interface SmallBulks {
  /** @param written ends when the bulk and its job are written, or refused. */
  add(jobId: string, written: Promise<JobProgress>): void
  /** The write of a run's bulk, once; undefined in another process. */
  take(jobId: string): Promise<JobProgress> | undefined
}

/** Longer than a workflow takes to ask for its write, in ms. */
const keptMs = 30_000

export function createSmallBulks(): SmallBulks {
  const writes = new Map<string, Promise<JobProgress>>()
  return {
    add(jobId, written) {
      writes.set(jobId, written)
      // Its run may be elsewhere, or there may be none.
      setTimeout(() => writes.delete(jobId), keptMs).unref()
    },
    take(jobId) {
      const written = writes.get(jobId)
      writes.delete(jobId)
      return written
    },
  }
}
