import type { JobProgress } from '../workflows/jobs/contracts.js'

/** A small bulk that a caller of this process waits for. */
export interface SmallBulk {
  /** Lets it be written, once. @param hasRun a run shows it in Temporal. */
  begin(hasRun: boolean): void
  /** Ends when it is written, or refused. */
  written: Promise<JobProgress>
}

/** The small bulks of a process. The run of each lets it be written; a process that dies has answered nobody. */
export interface SmallBulks {
  /** @param write writes the bulk and its job in one transaction. */
  add(jobId: string, write: (hasRun: boolean) => Promise<JobProgress>): SmallBulk
  /** Undefined where nobody waits for it here. */
  get(jobId: string): SmallBulk | undefined
}

export function createSmallBulks(): SmallBulks {
  const bulks = new Map<string, SmallBulk>()
  return {
    add(jobId, write) {
      let begin: SmallBulk['begin'] = () => undefined
      const begun = new Promise<boolean>(resolve => {
        begin = resolve
      })
      const bulk = { begin, written: begun.then(write).finally(() => bulks.delete(jobId)) }
      bulks.set(jobId, bulk)
      return bulk
    },
    get: jobId => bulks.get(jobId),
  }
}
