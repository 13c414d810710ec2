// The activity that imports structural entities.
import { hierarchyVersion } from '../../db/frame/hierarchy/hierarchy.js'
import { structureTypeStore } from '../../db/frame/hierarchy/structure-types.js'
import { planImport, writeImportChunk } from '../../db/frame/imports/entity-import.js'
import type { ImportedEntity } from '../../db/frame/imports/entity-order.js'
import {
  type EntityBatch,
  entityPlaceOf,
  entityRowsAtOnce,
  readEntities,
  saveReadRows,
} from '../../db/frame/imports/entity-read.js'
import { readChunk } from '../../db/jobs/chunks.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { prefetched } from '../../runtime/load/prefetched.js'
import type { RowPlace } from '../../runtime/rows/row-splitter.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { type ImportDependencies, importRows } from './import-rows.js'

interface EntityImportDependencies extends ImportDependencies {
  /** The setting HIERARCHY_MAX_DEPTH. */
  maxDepth: number
}

/** Creates the activities for imports of structural entities. */
export const entityImportActivities = (dependencies: EntityImportDependencies) => ({
  /** Reads, plans or writes the job's next rows, and returns its progress. Safe to retry at any point. */
  structuralEntityImport: (input: StepsInput): Promise<JobProgress> =>
    importRows<EntityBatch>(dependencies, input, async ({ db, tenant, job, ids, format, rowsFrom }) => {
      const { maxDepth } = dependencies
      const version = await hierarchyVersion(db, tenant)
      const types = await structureTypeStore(db, tenant).all()
      const place = entityPlaceOf(job)
      const begin = place.pass === 'read' ? place : undefined
      let from = begin ?? format.begin
      const readAgain = async (from: RowPlace) => {
        for await (const batch of rowsFrom(from, entityRowsAtOnce)) return batch
        throw new Error(`The upload of the job ${ids.jobId} has no row at byte ${from.byte}`)
      }
      const chunks = prefetched((first: number) => readChunk<ImportedEntity>(db, tenant, ids.jobId, first))
      return {
        from: begin,
        max: entityRowsAtOnce,
        async read(batch, allows) {
          const read = await readEntities(db, tenant, from, batch, format, types, { allows })
          from = batch.next
          return read
        },
        write: (batch, _, readNext) => saveReadRows(db, tenant, ids, batch, format, version, readNext),
        async afterwards(allows) {
          const { done, ...now } = (await jobStore(db, tenant).byId(ids.jobId)) ?? job
          const rules = { allows, maxDepth }
          if (entityPlaceOf(now).pass === 'plan') return planImport(db, tenant, ids, done, format, rules, readAgain)
          const chunk = await chunks.at(done)
          return writeImportChunk(db, tenant, ids, chunk, format, rules, readAgain, () =>
            chunks.begin(done + chunk.items.length),
          )
        },
      }
    }),
})
