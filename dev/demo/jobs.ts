// Follows a job with a progress bar.
import type { Client, Job } from '../../client/index.js'
import { count, progress } from './progress.js'

const pollMs = 200

/**
 * Follows a job to its end with a progress bar.
 * @param seen called with the job each time it is read.
 * @throws JobFailed unless it completed.
 */
export async function followJob(client: Client, accepted: Job, seen?: (job: Job) => void): Promise<Job> {
  const bar = progress()
  const onProgress = (job: Job) => {
    bar.update(job.progress.done, job.progress.total, job.status)
    seen?.(job)
  }
  try {
    return await client.waitForJob(accepted, { onProgress, pollMs, onWait: () => bar.say('waiting for the API') })
  } finally {
    bar.stop()
  }
}

/** Prints the number of items by outcome, notes on these, and links to the job. */
export function printJob(client: Client, { counts, links }: Job, ...notes: string[]): void {
  const outcomes = Object.entries(counts).map(([outcome, number]) => `${count(number)} ${outcome}`)
  if (outcomes.length > 0) console.log(`Outcome   ${outcomes.join(', ')}`)
  for (const note of notes) console.log(`          ${note}`)
  console.log(`Job       ${client.url(links.self)}`)
  if (links.temporalUi !== undefined) console.log(`Temporal  ${links.temporalUi}`)
}
