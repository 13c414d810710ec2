import type { JobProgress } from '../workflows/jobs/contracts.js'

/** A small bulk that a caller of this process waits for. */
export interface SmallBulk {
  /** Writes it. @param hasRun a run shows it in Temporal. */
  begin(hasRun: boolean): void
  /** Ends when it is written, or refused. */
  written: Promise<JobProgress>
}

/** The small bulks of a process: the run of each, which Temporal gives to the same process, finds its write here. */
export interface SmallBulks {
  /** @param write writes the bulk and its job in one transaction. */
  add(jobId: string, write: (hasRun: boolean) => Promise<JobProgress>): SmallBulk
  /** The write of a run's bulk, once; undefined in another process. */
  take(jobId: string): Promise<JobProgress> | undefined
}

/** Longer than a workflow takes to ask for its write, in ms. */
const keptMs = 30_000

export function createSmallBulks(): SmallBulks {
  const writes = new Map<string, Promise<JobProgress>>()
  return {
    add(jobId, write) {
      let begin: SmallBulk['begin'] = () => undefined
      const begun = new Promise<boolean>(resolve => {
        begin = resolve
      })
      const written = begun.then(write)
      writes.set(jobId, written)
      // Its run may be elsewhere, or there may be none.
      setTimeout(() => writes.delete(jobId), keptMs).unref()
      return { begin, written }
    },
    take(jobId) {
      const written = writes.get(jobId)
      writes.delete(jobId)
      return written
    },
  }
}
