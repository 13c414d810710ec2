// Follows a job with a progress bar.
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { type Answer, type Client, DemoError, Problem, patiently, problemLines } from './client.js'
import { count, type Progress, progress } from './progress.js'

const pollMs = 200

const Job = Type.Object({
  jobId: Type.String(),
  status: Type.String(),
  progress: Type.Object({ done: Type.Integer(), total: Type.Integer() }),
  counts: Type.Record(Type.String(), Type.Integer()),
  problem: Type.Optional(Problem),
  links: Type.Object({ self: Type.String(), items: Type.String(), temporalUi: Type.Optional(Type.String()) }),
})
export type Job = Type.Static<typeof Job>

/**
 * Follows the job that an answer of 202 accepted, with a bar, to its end. Fails unless it completed.
 * @param seen is called with the job each time that it is read.
 */
export async function followJob(client: Client, accepted: Answer, seen?: (job: Job) => void): Promise<Job> {
  const bar = progress()
  try {
    return await completed(client, accepted, bar, seen)
  } finally {
    bar.stop()
  }
}

/** Waits for the end of the job that an answer of 202 accepted. Fails unless it completed. */
export async function completed(
  client: Client,
  accepted: Answer,
  bar?: Progress,
  seen?: (job: Job) => void,
): Promise<Job> {
  const location = accepted.headers.get('location')
  if (accepted.status !== 202 || location === null) {
    throw new DemoError(`Expected 202 and a Location, got ${accepted.status}.`, [], 'Is this Armature?')
  }
  for (;;) {
    const job = await patiently(
      () => client.get(location, Job),
      () => bar?.say('waiting for the API'),
    )
    bar?.update(job.progress.done, job.progress.total, job.status)
    seen?.(job)
    if (job.status === 'Completed') return job
    if (job.status !== 'Accepted' && job.status !== 'Running') throw notCompleted(client, job)
    await sleep(pollMs)
  }
}

const notCompleted = (client: Client, { status, problem, links }: Job): DemoError =>
  new DemoError(
    `The job ended as ${status}.`,
    [...(problem ? problemLines(problem) : []), `Items: ${client.url(links.items)}`],
    `See ${links.temporalUi ?? client.url(links.self)}`,
  )

/** Prints how many items came out how, with notes on that, and where the job can be looked at. */
export function printJob(client: Client, { counts, links }: Job, ...notes: string[]): void {
  const outcomes = Object.entries(counts).map(([outcome, number]) => `${count(number)} ${outcome}`)
  if (outcomes.length > 0) console.log(`Outcome   ${outcomes.join(', ')}`)
  for (const note of notes) console.log(`          ${note}`)
  console.log(`Job       ${client.url(links.self)}`)
  if (links.temporalUi !== undefined) console.log(`Temporal  ${links.temporalUi}`)
}
