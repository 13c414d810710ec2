// Demo: shows that a slow provider of one tenant does not delay another tenant.
import type { Client } from '../../client/index.js'
import { DemoError } from './client.js'
import { startRefresh } from './data-set.js'
import { followJob, printJob } from './jobs.js'
import { bulkAsJob } from './places.js'
import { count } from './progress.js'
import { type Register, whileItFails } from './register.js'

/** How long the register is told to take for each page, in ms. */
const slowMs = 4_000

const wards = Array.from({ length: 25 }, (_, n) => ({
  Key: `ward-${n + 1}`,
  DisplayName: `Ward ${n + 1}`,
  StructureTypeKey: 'ward',
  CustomFieldValues: [],
}))

/** Refreshes a data set of one tenant from a slow register, and writes a bulk of another tenant meanwhile. */
export async function writeBesideSlowProvider(client: Client, neighbour: Client, register: Register): Promise<void> {
  await neighbour.put('/api/v1/structureType', { body: { Key: 'ward', Name: 'Ward', SubjectAssignable: true } })
  const alone = await bulk(neighbour)
  console.log(
    `The register is told to take ${count(slowMs / 1_000)} s for each page, and the tenant "demo" fetches it.`,
  )
  const { refresh, beside } = await whileItFails(register, { slowMs }, async () => {
    const refresh = await startRefresh(client)
    return { refresh, beside: await bulk(neighbour) }
  })
  console.log(
    `Meanwhile the tenant "other" writes ${wards.length} entities, as a job: ${count(Math.round(beside))} ms (${count(Math.round(alone))} ms alone).`,
  )
  if (beside > slowMs) {
    throw new DemoError('The bulk waited for the register of another tenant.', [], 'Is the worker running?')
  }
  console.log('The register is as quick as ever again, and the fetch goes on:')
  printJob(client, await followJob(client, refresh))
}

/** Writes the wards as a job. @returns the time from the request to the end of the job, in ms. */
async function bulk(client: Client): Promise<number> {
  const started = performance.now()
  await client.waitForJob(await bulkAsJob(client, wards))
  return performance.now() - started
}
