// The activity that imports subjects.
import { subjectSettings } from '../../db/frame/fields/subject-settings.js'
import { undoMoves } from '../../db/frame/imports/import-moves.js'
import {
  type ImportBatch,
  importBatch,
  importRowsAtOnce,
  placeOf,
  readBatch,
} from '../../db/frame/imports/subject-import.js'
import { unassignAbsent } from '../../db/frame/imports/unassign-absent.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps } from '../jobs/do-steps.js'
import { type ImportDependencies, importRows } from './import-rows.js'

/** Creates the activities for imports of subjects, and for undoing what they did to places. */
export const subjectImportActivities = (dependencies: ImportDependencies) => ({
  /** Imports the job's next rows, and returns its progress. Safe to retry at any point. */
  subjectImport: (input: StepsInput): Promise<JobProgress> =>
    importRows<ImportBatch>(dependencies, input, async ({ db, tenant, job, ids, format }) => {
      const settings = await subjectSettings(db, tenant)
      let from = placeOf(job)
      return {
        from: from.pass === 'count' || from.pass === 'absent' ? undefined : from,
        max: importRowsAtOnce,
        async read(batch) {
          const begin = from
          from = { ...from, ...batch.next }
          return readBatch(begin, batch, format, settings)
        },
        write: (batch, allows, readNext) => importBatch(db, tenant, ids, batch, format, allows, readNext),
        afterwards: allows => unassignAbsent(db, tenant, ids, format, allows),
      }
    }),

  /** Puts the next subjects back where they were before an import, and returns the job's progress. Safe to retry at any point. */
  subjectImportUndo: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (tenant, run) => ({ next: () => undoMoves(dependencies.db, tenant, run) })),
})
