// The activity that imports structural entities.
import { structureTypeStore } from '../../db/frame/hierarchy/structure-types.js'
import { entityPlaceOf, orderStep } from '../../db/frame/imports/entity-import.js'
import { readStage, type StageBatch, stageBatch, stagedAtOnce } from '../../db/frame/imports/entity-stage.js'
import { readPage, writePage } from '../../db/frame/imports/entity-write.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { prefetched } from '../../runtime/prefetched.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { type ImportDependencies, importRows } from './import-rows.js'

interface EntityImportDependencies extends ImportDependencies {
  /** HIERARCHY_MAX_DEPTH. */
  maxDepth: number
}

/** Activities that carry imports of structural entities. */
export const entityImportActivities = (dependencies: EntityImportDependencies) => ({
  /** Stages, orders or writes the job's next rows, and says how far it is. Safe to run again at any point. */
  structuralEntityImport: (input: StepsInput): Promise<JobProgress> =>
    importRows<StageBatch>(dependencies, input, async ({ db, tenant, job, ids, format }) => {
      const { maxDepth } = dependencies
      const upload = { tenant, fileId: ids.fileId }
      const types = await structureTypeStore(db, tenant).all()
      const begin = entityPlaceOf(job)
      let from = begin
      const pages = prefetched((place: string) => readPage(db, upload, JSON.parse(place), format, types))
      return {
        from: begin.pass === 'stage' ? begin : undefined,
        most: stagedAtOnce,
        async read(batch) {
          const made = await readStage(db, tenant, from, batch, format, types)
          from = { pass: 'stage', ...batch.next }
          return made
        },
        write: (batch, allows, readNext) => stageBatch(db, tenant, ids, batch, format, allows, readNext),
        async afterwards(allows) {
          const now = await jobStore(db, tenant).byId(input.jobId)
          const place = entityPlaceOf(now ?? job)
          if (place.pass === 'stage') throw new Error(`The rows of the job ${input.jobId} are not staged`)
          if (place.pass !== 'write') return orderStep(db, tenant, ids, place, format, { maxDepth })
          const { depth, after } = place
          const page = await pages.at(JSON.stringify({ depth, after }))
          return writePage(db, tenant, ids, page, format, { allows, maxDepth }, () => {
            if (page.next) pages.begin(JSON.stringify(page.next))
          })
        },
      }
    }),
})
