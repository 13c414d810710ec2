// The activity that erases a subject.
import type { TenantId } from '../../db/connect.js'
import { eraseDeliveries } from '../../db/forms/exports/delivery-erasure.js'
import type { PublishedForms } from '../../db/forms/templates/published-forms.js'
import { importFiles, keptUploads } from '../../db/frame/imports/import-files.js'
import { recordItemStore } from '../../db/frame/subjects/record-items.js'
import { isOpen } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { namesAll } from '../../db/people/erased-rejects.js'
import {
  type Erasure,
  eraseNext,
  erasureOf,
  idsOf,
  isOuter,
  type OuterPart,
  placeOfErasure,
  whatNames,
} from '../../db/people/erasure.js'
import type { Storages } from '../../db/storage/storage.js'
import type { Seal } from '../../runtime/secrets/seal.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

interface ErasureDependencies extends StepDependencies {
  forms: PublishedForms
  storages: Storages
  seal: Seal
}

/** Creates the activities for erasures. */
export const subjectErasureActivities = (dependencies: ErasureDependencies) => ({
  /** Erases the job's subject, part by part, and returns its progress. Safe to retry at any point. */
  subjectErasure: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (tenant, run) => ({
      async next() {
        const job = await jobStore(dependencies.db, tenant).byId(input.jobId)
        const { part } = job && isOpen(job) ? placeOfErasure(job) : { part: undefined }
        const outer =
          job && part && isOuter(part)
            ? {
                part,
                erased: await eraseOuter(dependencies, { id: tenant, key: input.tenantKey }, erasureOf(job), part),
              }
            : undefined
        return eraseNext(dependencies, tenant, run, job?.actor ?? '', outer)
      },
    })),
})

/** Does one of the parts that cannot be done in a transaction. @returns how many files, deliveries or documents it erased. */
async function eraseOuter(
  { db, storages, seal }: ErasureDependencies,
  { id: tenant, key }: { id: TenantId; key: string },
  erasure: Erasure,
  part: OuterPart,
): Promise<number> {
  if (part === 'uploads') {
    const uploads = await keptUploads(db, tenant)
    for (const upload of uploads) await importFiles(db, storages, tenant).forget(upload)
    return uploads.length
  }
  if (part === 'deliveries') {
    const { texts } = await whatNames(db, tenant, erasure)
    const names = (document: string) =>
      idsOf(erasure).some(id => document.includes(id)) || texts.some(set => namesAll(document, set))
    return eraseDeliveries(db, seal, { id: tenant, key }, names)
  }
  return recordItemStore(db, storages, tenant).removeAll(erasure.subjectId)
}
