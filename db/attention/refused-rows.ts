// Rows that imports have refused, and that wait to be corrected.
import type { Db } from '../connect.js'
import { columnsOf, type Kind, ofTenant } from './cause.js'

/**
 * The refused rows of the newest import of each client, until they are corrected: by a retry with corrected rows, or by
 * the client's next import, which brings its data again. Those of earlier imports stay readable with their jobs. An
 * import that failed for another reason is a failed job.
 */
export const refusedRows: Kind = {
  permission: 'List:Job',
  find(db, tenant) {
    // Reads the first row of each import alone.
    const imports = db('import_rejects').modify(ofTenant(tenant)).distinct('tenant_id', 'job_id')
    return (
      db
        .from(imports.as('r'))
        // Left to itself, the server goes through the jobs of all tenants.
        .joinRaw('STRAIGHT_JOIN jobs AS j ON j.tenant_id = r.tenant_id AND j.id = r.job_id')
        .where({ 'j.undone_by': null, 'j.deleted_at': null })
        .where(ended =>
          ended
            .where('j.status', 'Completed')
            .orWhere(failed => failed.where('j.status', 'Failed').whereRaw("JSON_VALUE(j.problem, '$.status') < 500")),
        )
        .whereRaw(isNoDryRun('j'))
        .whereRaw('? IS NULL', [laterImport(db)])
        .select(
          'j.tenant_id',
          columnsOf(db, {
            subject: 'j.id',
            since: 'j.finished_at',
            job: 'j.id',
            amount: db.raw("JSON_VALUE(j.counts, '$.refused')"),
          }),
        )
    )
  },
  advise: ({ subject, amount }) => ({
    why: `An import has refused ${Number(amount) === 1 ? 'one row' : `${amount} rows`}.`,
    nextStep: 'Read the refused rows with their reasons, correct them, and import them again.',
    action: { method: 'GET', path: `/api/v1/jobs/${subject}/rejects` },
  }),
}

/**
 * Selects the first import that came after the import `j`, from the same client or with corrected rows of it. Without
 * the index, the server reads all later jobs of the tenant.
 */
const laterImport = (db: Db) =>
  db
    .from(db.raw('jobs AS n FORCE INDEX (jobs_by_kind)'))
    .whereRaw('n.tenant_id = j.tenant_id AND n.kind = j.kind AND n.id > j.id')
    .whereIn('n.status', ['Completed', 'Failed'])
    .whereRaw(isNoDryRun('n'))
    .whereRaw("(n.actor = j.actor OR JSON_VALUE(n.input, '$.corrects') = j.id)")
    .orderBy('n.id')
    .limit(1)
    .select('n.id')

/** The condition that an import is no dry run. Its input is stored as we write it. */
const isNoDryRun = (table: string) => `${table}.input NOT LIKE '%"dryRun":true%'`
