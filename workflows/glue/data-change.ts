// The workflow of data changes of one subject.
import { ContinueAsNew, continueAsNew, defineSignal, isCancellation, setHandler } from '@temporalio/workflow'
import type { JobInput } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'
import { changedSignal } from './contracts.js'

const changed = defineSignal<[JobInput]>(changedSignal)

/** Between two fetches of a subject, in ms: a burst of changes makes a few of them. */
const pauseMs = 1_000

/**
 * Fetches a subject's data again after a provider said that it changed. One run a subject: a job that is accepted while the
 * run is ending comes as a signal, and the run goes on with it.
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
        // A cancellation of this job does not concern the next one.
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
