// Records histories of exports.
import { rename } from 'node:fs/promises'
import type { Client } from '@temporalio/client'
import { admin, newTenant } from '../support/api.js'
import { exportJobs, runExport, startExport } from '../support/exports.js'
import { aNote, formAsked } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import { putForm } from '../support/forms.js'
import type { Stack } from '../support/stack.js'
import { until } from '../support/until.js'

interface Recorder {
  stack: Stack
  client: Client
  record(how: string, job: JobBody): Promise<void>
  recordRun(how: string, beginning: string): Promise<void>
}

/** Exports whose time has come: one that is delivered, one whose destination is not set up, and one that is cancelled. */
export async function recordExports({ stack, client, record, recordRun }: Recorder): Promise<void> {
  const definitions = [formAsked('small')]
  const exports = ['directory', 's3'].map(destination => ({ key: destination, every: 3600, destination, definitions }))
  const clinic = await newTenant(stack.baseUrl, {}, { forms: { exports } })
  await putForm(await admin(stack.baseUrl), clinic.tenantKey, aNote())
  await record('background', await runExport(client, clinic, 'directory'))
  await recordRun('due', `${clinic.tenantKey}/scheduledExport/directory/`)
  await record('failed', await runExport(client, clinic, 's3'))

  // While its directory is away, it waits.
  await rename(stack.exportDir, `${stack.exportDir}-away`)
  const waiting = await startExport(client, clinic, 'directory')
  const running = async () => (await exportJobs(clinic)).find(({ status }) => ['Accepted', 'Running'].includes(status))
  const job = await until('the export waits', running)
  await clinic.post(`${job.links.self}/cancel`)
  await waiting.result()
  await rename(`${stack.exportDir}-away`, stack.exportDir)
  await record('cancelled', job)
}
