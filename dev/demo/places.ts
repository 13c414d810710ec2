// Demo: imports all places of France in one request.
import type { Client, components, Job } from '../../client/index.js'
import { shuffled } from '../shuffle.js'
import { DemoError } from './client.js'
import { levels, type Place, structureTypes } from './french-places.js'
import { followJob, printJob } from './jobs.js'
import { count, pace } from './progress.js'

const seed = 1789

/** Starts the bulk of these entities as a job, without waiting for it. */
export async function bulkAsJob(client: Client, body: EntityWrite[]): Promise<Job> {
  const params = { header: { Prefer: 'respond-async' } }
  const { data } = await client.put('/api/v1/structuralEntity/bulk', { params, body })
  if (data === undefined) throw new DemoError('The bulk is no job.', [], 'Is this Armature?')
  return data
}

type EntityWrite = components['schemas']['StructuralEntityWrite']

/** Imports the places, in random order, as one job, and compares the numbers per level with those that were sent. */
export async function importPlaces(client: Client, places: Place[]): Promise<void> {
  console.log(`${count(places.length)} places of France, shuffled, in one request`)
  await client.put('/api/v1/structureType/bulk', { body: structureTypes })
  const start = performance.now()
  const accepted = await bulkAsJob(client, shuffled(places, seed))
  const job = await followJob(client, accepted)
  const { seconds, perSecond } = pace(places.length, start)

  const missing = await printLevels(client, places)
  console.log(`\n${count(places.length)} places in ${seconds}, ${perSecond} a second`)
  printJob(client, job)
  if (missing > 0) {
    throw new DemoError(`${count(missing)} places are missing.`, [], `See ${client.url(job.links.items)}`)
  }
}

/** Prints the number of places that were sent and that the API has, by level. @returns how many are missing. */
async function printLevels(client: Client, places: Place[]): Promise<number> {
  const row = (...[depth, sent, present, names]: [string, string, string, string]) =>
    console.log(`${depth.padStart(5)}  ${sent.padStart(8)}  ${present.padStart(10)}  ${names}`)
  console.log()
  row('Depth', 'Sent', 'In the API', 'Called')
  let missing = 0
  for (const level of levels(places)) {
    const params = { query: { Depth: level.depth, First: 1 } }
    const { PageInfo } = (await client.get('/api/v1/structuralEntity', { params })).data
    missing += Math.max(0, level.count - PageInfo.TotalCount)
    row(String(level.depth), count(level.count), count(PageInfo.TotalCount), level.names.join(', '))
  }
  return missing
}
