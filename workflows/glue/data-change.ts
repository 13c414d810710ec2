// The workflow that fetches one subject's data again after changes.
import { ContinueAsNew, continueAsNew, defineSignal, isCancellation, setHandler } from '@temporalio/workflow'
import type { JobInput } from '../jobs/contracts.js'
import { isJobCancelled, runJob } from '../jobs/run-job.js'
import { changedSignal } from './contracts.js'

const changed = defineSignal<[JobInput]>(changedSignal)

/** Pause between two fetches of a subject, in ms, so that a burst of changes needs only a few of them. */
const pauseMs = 1_000

/**
 * Fetches a subject's data again after a provider reported that it changed. There is one run per subject: a job that is
 * accepted while the run is under way arrives as a signal, and the run continues with it.
 * @returns how many changes this run has fetched.
 */
export async function dataChange(...inputs: JobInput[]): Promise<{ changes: number }> {
  const jobs = new Map(inputs.map(input => [input.jobId, input]))
  setHandler(changed, job => void jobs.set(job.jobId, job))
  let failure: unknown
  let changes = 0
  for (let [job] = jobs.values(); job; [job] = jobs.values()) {
    const current = job
    // From here on, a signal with this job is a retry of it, which comes after the others.
    jobs.delete(current.jobId)
    const again = () => continueAsNew<typeof dataChange>(current, ...jobs.values())
    try {
      changes += (await runJob('dataChange', current, { pauseMs, again })).done
    } catch (error) {
      if (error instanceof ContinueAsNew) throw error
      if (isCancellation(error)) {
        // The cancellation concerns this job only, so the others continue in a new run.
        if (jobs.size > 0) await continueAsNew<typeof dataChange>(...jobs.values())
        throw error
      }
      if (!isJobCancelled(error)) failure = error
    }
  }
  if (failure) throw failure
  return { changes }
}
