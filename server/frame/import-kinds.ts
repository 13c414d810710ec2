// Describes the kinds of imports to the API: the permissions that each needs and the columns that it accepts.
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { entitySettings } from '../../db/frame/fields/entity-settings.js'
import { structureTypeStore } from '../../db/frame/hierarchy/structure-types.js'
import type { ColumnTargets } from '../../db/frame/imports/columns.js'
import { entityColumns } from '../../db/frame/imports/entity-rows.js'
import type { Import } from '../../db/frame/imports/imports.js'
import { subjectColumns } from '../../db/frame/imports/subject-rows.js'
import { upsertSettings } from '../../db/frame/subjects/subject-plan.js'
import type { ImportKind } from '../../workflows/jobs/contracts.js'

/** The differences between the kinds of imports that matter before any row is read. */
interface OwnOfKind {
  /** Name of the schema that each line of an NDJSON upload follows. */
  line: string
  /** The caller needs one of these to begin an import. A row that creates or updates is checked against its own. */
  permission: readonly [string, string]
  /** Permission to see the rows that another client's import refused. */
  toSeeRows: string
  /** Returns how often the job reads each row, which makes up the total of its progress. */
  passes(input: Import): number
  /** Returns the fields that a column may be for. @throws Problem 409 if the tenant's settings allow no import. */
  columns(db: Knex, tenant: TenantId): Promise<ColumnTargets>
}

export const importKinds: Record<ImportKind, OwnOfKind> = {
  subjectImport: {
    line: 'SubjectWrite',
    permission: ['Create:Subject', 'Edit:Subject'],
    toSeeRows: 'List:Subject',
    passes: ({ mode, dryRun }) => (mode === 'all' && !dryRun ? 2 : 1),
    columns: async (db, tenant) => subjectColumns((await upsertSettings(db, tenant)).settings),
  },
  structuralEntityImport: {
    line: 'StructuralEntityWrite',
    permission: ['Create:StructuralEntity', 'Edit:StructuralEntity'],
    toSeeRows: 'List:StructuralEntity',
    // Each row is read once and written once.
    passes: ({ dryRun }) => (dryRun ? 1 : 2),
    async columns(db, tenant) {
      const types = await structureTypeStore(db, tenant).all()
      return entityColumns([...types.values()], await entitySettings(db, tenant))
    },
  },
}
