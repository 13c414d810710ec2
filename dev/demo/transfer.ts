// Demo: transfers all subjects of a department to another one.
import type { Client } from '../../client/index.js'
import { destination, source } from './assignments.js'
import { DemoError } from './client.js'
import { followJob, printJob } from './jobs.js'
import { count, pace } from './progress.js'
import { countSubjects } from './subject-list.js'

/** Moves everybody who is assigned to one department to the other, as one job, and prints how to undo it. */
export async function transferSubjects(client: Client, tokenCommand: string): Promise<void> {
  const placed = () => Promise.all([source, destination].map(({ key }) => countSubjects(client, key)))
  const before = await placed()
  console.log(`Everybody assigned to the department ${source.name} is moved to ${destination.name}, in one request`)
  const start = performance.now()
  const path = '/api/v1/structuralEntity/{destinationStructuralEntityKey}/subjects/transfer'
  const params = { path: { destinationStructuralEntityKey: destination.key } }
  const body = { SourceStructuralEntityKey: source.key, TransferMode: 'Move' } as const
  const job = await followJob(client, (await client.post(path, { params, body })).data)
  const { seconds, perSecond } = pace(job.progress.done, start)
  const after = await placed()

  console.log(`\n${'Assigned to'.padEnd(24)}  ${'before'.padStart(8)}  ${'after'.padStart(8)}`)
  for (const [n, { key, name }] of [source, destination].entries()) {
    const [was, is] = [before[n] ?? 0, after[n] ?? 0].map(count)
    console.log(`${`${name} (${key})`.padEnd(24)}  ${was?.padStart(8)}  ${is?.padStart(8)}`)
  }
  console.log(`\n${count(job.progress.done)} people in ${seconds}, ${perSecond} a second`)
  const skips = `Skipped: they were in ${destination.name} already, and have left ${source.name} only.`
  printJob(client, job, ...(job.counts.skipped ? [skips] : []))
  console.log('Undo it   with these two lines; whoever has been assigned elsewhere since stays there.')
  console.log(`  TOKEN=$(${tokenCommand})`)
  console.log(`  curl -sS -X POST -H "Authorization: Bearer $TOKEN" ${client.url(`${job.links.self}/undo`)}`)
  const [left = 0] = after
  if (left > 0) {
    const headline = `${count(left)} people are still in ${source.name}.`
    throw new DemoError(headline, [], 'Has somebody else assigned them meanwhile? Run the demo again.')
  }
}
