// The activity that writes a tenant to an encrypted archive.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Context } from '@temporalio/activity'
import { Encrypter } from 'age-encryption'
import { archiveLines } from '../../db/admin/tenant-archive.js'
import type { TenantRef } from '../../db/admin/tenant-deletion.js'
import { databaseCondition } from '../../db/condition.js'
import { advance } from '../../db/jobs/advance.js'
import { isOpen } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { archiveFolder, type ExportDestination } from '../../db/storage/export-target.js'
import { type ExportTargets, exportSettings } from '../../db/storage/export-targets.js'
import type { Storages } from '../../db/storage/storage.js'
import { Problem } from '../../runtime/problems/problem.js'
import { version } from '../../runtime/process/version.js'
import { bufferLines } from '../../runtime/rows/buffered-lines.js'
import type { Seal } from '../../runtime/secrets/seal.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

interface ExportDependencies extends StepDependencies {
  seal: Seal
  storages: Storages
  targets: ExportTargets
}

/** The input of the job. */
interface TenantExport extends TenantRef {
  /** A public key of age, for which the archive is encrypted. */
  recipient: string
  destination: ExportDestination
  file: string
}

/** Creates the activity of exports of tenants. */
export const tenantExportActivities = (dependencies: ExportDependencies) => ({
  /** Writes the archive as one file. Its name appears once it is complete. Begins again after a crash. */
  tenantExport: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (owner, run) => ({
      async next() {
        const { db, targets } = dependencies
        const job = await jobStore(db, owner).byId(input.jobId)
        // It was cancelled, or completed by an earlier activity.
        if (!job || !isOpen(job)) return advance(db, owner, run, async () => undefined)
        const wanted: TenantExport = JSON.parse(job.input ?? '{}')
        const target = targets[wanted.destination]
        if (!target)
          throw new Problem(
            'internal',
            `The workers have no ${exportSettings[wanted.destination]}. Set it and restart them, then retry the job.`,
          )
        const { steps } = await databaseCondition(db)
        const counts: Record<string, number> = {}
        let rows = 0
        const lines = archiveLines(dependencies, wanted, { version, steps }, table => {
          counts[table] = (counts[table] ?? 0) + 1
          rows++
        })
        const { cancellationSignal: signal } = Context.current()
        const encrypter = new Encrypter()
        encrypter.addRecipient(wanted.recipient)
        const zipped = createGzip()
        const encrypted = await encrypter.encrypt(Readable.toWeb(zipped))
        await Promise.all([
          pipeline(bufferLines(lines), zipped, { signal }),
          target.write(archiveFolder, wanted.file, buffersOf(encrypted)),
        ])
        return advance(db, owner, run, async () => ({ done: rows, end: 'all', counts }))
      },
    })),
})

async function* buffersOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const block of stream) yield Buffer.from(block)
}
