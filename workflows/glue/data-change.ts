// The workflow that fetches one subject's data again after changes.
import { ContinueAsNew, continueAsNew, defineSignal, isCancellation, setHandler } from '@temporalio/workflow'
import type { JobInput } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'
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
  const again = () => continueAsNew<typeof dataChange>(...jobs.values())
  let failure: unknown
  let changes = 0
  for (let [job] = jobs.values(); job; [job] = jobs.values()) {
    try {
      changes += (await runJob('dataChange', job, { pauseMs, again })).done
    } catch (error) {
      if (error instanceof ContinueAsNew) throw error
      if (isCancellation(error)) {
        jobs.delete(job.jobId)
        // The cancellation concerns this job only, so the others continue in a new run.
        if (jobs.size > 0) await again()
        throw error
      }
      failure = error
    }
    jobs.delete(job.jobId)
  }
  if (failure) throw failure
  return { changes }
}
