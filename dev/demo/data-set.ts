// Demo: refreshes a data set while its provider fails.
import { isDeepStrictEqual } from 'node:util'
import type { Client, components, Job } from '../../client/index.js'
import { dataPointOf, type Vaccination } from '../provider/vaccinations.js'
import { DemoError } from './client.js'
import { followJob, printJob } from './jobs.js'
import { count, pace } from './progress.js'
import { type Register, since, whileItFails } from './register.js'

/** The programme whose vaccinations the data set has; see dev/demo-glue.ts. */
export const programme = 'routine'
const path = { dataExtractKey: 'vaccinations' }
export const rowsPath = '/api/v1/dataSet/{dataExtractKey}/rows'
export const rowsOf = { path }

export type Row = components['schemas']['DataSetRow']

/** Starts a refresh of the data set, or joins the one that is running. */
export async function startRefresh(client: Client): Promise<Job> {
  const params = { path, header: { Prefer: 'respond-async' } }
  const { data } = await client.post('/api/v1/dataSet/{dataExtractKey}/refresh', { params })
  if (!('links' in data)) throw new DemoError('The refresh is no job.', [], 'Is this Armature?')
  return data
}

/** Refreshes the data set while the register fails, and compares the result with the register's rows. */
export async function refreshDataSet(client: Client, register: Register): Promise<void> {
  console.log(`The register of vaccinations at ${register.url} is told to fail one call in five, and to be slow.`)
  console.log('Its data is fetched nevertheless, in one request:')
  const before = await register.answers('GET /vaccinations')
  const start = performance.now()
  const behaviour = { failRate: 0.15, dropRate: 0.05, slowMs: 20, seed: 1789 }
  const job = await whileItFails(register, behaviour, async () => {
    return followJob(client, await startRefresh(client))
  })
  const took = performance.now() - start
  const { made, failed } = since(before, await register.answers('GET /vaccinations'))

  const [theirs, ours] = [await register.rows(programme), await readRows(client)]
  const { seconds, perSecond } = pace(ours.length, performance.now() - took)
  console.log(`\n${count(ours.length)} vaccinations of the ${programme} programme in ${seconds}, ${perSecond} a second`)
  console.log(`Calls     ${count(made)} of the register, of which ${count(failed)} failed and were made again`)
  const wrong = differences(theirs, ours)
  console.log(`Compared  ${count(theirs.length)} rows there, ${count(ours.length)} here, ${count(wrong.length)} differ`)
  printJob(client, job)
  if (wrong.length > 0) {
    const headline = `${count(wrong.length)} rows are not what the register has.`
    throw new DemoError(headline, wrong.slice(0, 10), 'Has the register changed meanwhile? Run the demo again.')
  }
}

/** Reads all rows of the data set. */
async function readRows(client: Client): Promise<Row[]> {
  const rows: Row[] = []
  for await (const row of client.each(rowsPath, { params: { path, query: { First: 1_000 } } })) rows.push(row)
  return rows
}

/** Describes rows that differ between the register and the platform. */
function differences(theirs: readonly Vaccination[], ours: readonly Row[]): string[] {
  const left = new Map(ours.map(row => [row.Id, row]))
  const wrong = theirs.flatMap(row => {
    const kept = left.get(row.id)
    left.delete(row.id)
    if (!kept) return [`${row.id} is missing`]
    const { Id, SubjectIdentifier, DataPointItems } = kept
    return isDeepStrictEqual({ Id, SubjectIdentifier, DataPointItems }, dataPointOf(row))
      ? []
      : [`${row.id} is another`]
  })
  return [...wrong, ...[...left.keys()].map(id => `${id} is not there any more`)]
}
