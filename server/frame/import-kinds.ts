// The kinds of imports, as the API takes them.
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

/** All that differs between the kinds of imports before their rows are read. */
interface OwnOfKind {
  /** Name of the schema of a line of NDJSON. */
  line: string
  /** One of these is needed to begin an import; each row may need another. */
  permission: readonly [string, string]
  /** Needed to see the refused rows of another client. */
  toSeeRows: string
  /** How often each row is read. */
  passes(input: Import): number
  /** The fields that columns may hold. @throws Problem 409 where nothing can be imported. */
  columns(db: Knex, tenant: TenantId): Promise<ColumnTargets>
}

export const importKinds: Record<ImportKind, OwnOfKind> = {
  subjectImport: {
    line: 'SubjectWrite',
    permission: ['Create:Subject', 'Edit:Subject'],
    toSeeRows: 'List:Subject',
    passes: ({ mode, dryRun }) => (mode === 'all' && !dryRun ? 2 : 1),
    columns: async (db, tenant) => subjectColumns(await upsertSettings(db, tenant)),
  },
  structuralEntityImport: {
    line: 'StructuralEntityWrite',
    permission: ['Create:StructuralEntity', 'Edit:StructuralEntity'],
    toSeeRows: 'List:StructuralEntity',
    // To stage it, and to write it.
    passes: ({ dryRun }) => (dryRun ? 1 : 2),
    async columns(db, tenant) {
      const types = await structureTypeStore(db, tenant).all()
      return entityColumns([...types.values()], await entitySettings(db, tenant))
    },
  },
}
