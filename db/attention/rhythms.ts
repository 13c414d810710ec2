// Data sets and exports that failed last, or are later than their rhythm in the manifest allows.
import type { Knex } from 'knex'
import type { Db } from '../connect.js'
import { openStatuses } from '../jobs/job-row.js'
import { type Cause, codeOf, columnsOf, type Kind, meaningOf, ofTenant, retryOf } from './cause.js'

/**
 * The condition that the row `d` is late: its last success is older than two rhythms. One that has never had a success
 * counts from the last change of the manifest of its tenant `t`.
 */
const isLate = (success: string): string =>
  `COALESCE(${success}, t.updated_at) < CURRENT_TIMESTAMP(3) - INTERVAL 2 * d.every_seconds SECOND`

/**
 * Data sets whose newest refresh that has ended is a failed one, or that are late. A refresh that was cancelled is not a
 * failed one, so cancelling it says that somebody has seen the failure.
 */
export const dataSets: Kind = {
  permission: 'View:DataSet',
  find(db, tenant) {
    const failed = db('jobs as j')
      .join('data_sets as d', { 'd.tenant_id': 'j.tenant_id', 'd.extract_key': 'j.data_set' })
      .modify(ofTenant(tenant, 'j.tenant_id'))
      .where({ 'j.status': 'Failed', 'j.kind': 'dataSetRefresh', 'j.deleted_at': null })
      .where(set => set.whereNull('d.as_of').orWhereRaw('d.as_of < j.finished_at'))
      .where('j.id', newestRefresh(db))
      .select(
        'j.tenant_id',
        columnsOf(db, { subject: 'j.data_set', since: 'j.finished_at', job: 'j.id', code: codeOf(db) }),
      )
    const late = db('data_sets as d')
      .join('tenants as t', 't.id', 'd.tenant_id')
      .modify(ofTenant(tenant, 'd.tenant_id'))
      .whereNotNull('d.every_seconds')
      // One that somebody has paused is not late.
      .whereNull('d.paused_at')
      .whereRaw(isLate('d.as_of'))
      .select(
        'd.tenant_id',
        columnsOf(db, { subject: 'd.extract_key', since: db.raw('COALESCE(d.as_of, t.updated_at)') }),
      )
    return oneOf(db, [failed, late])
  },
  advise: cause => ({
    ...reasonOf(cause, 'The data set', 'was not refreshed'),
    action: { method: 'POST', path: `/api/v1/dataSet/${encodeURIComponent(cause.subject)}/refresh` },
  }),
}

/** Selects the newest refresh that has ended of the same data set as the job `j`. */
const newestRefresh = (db: Db): Knex.QueryBuilder =>
  db('jobs as n')
    .whereRaw('n.tenant_id = j.tenant_id AND n.data_set = j.data_set')
    .whereNotIn('n.status', openStatuses)
    .whereNull('n.deleted_at')
    .orderBy('n.id', 'desc')
    .limit(1)
    .select('n.id')

/** Exports of the manifest whose newest job has failed, or that are late. */
export const exports: Kind = {
  permission: 'List:Job',
  find(db, tenant) {
    const ofManifest = () =>
      db('form_exports as d').modify(ofTenant(tenant, 'd.tenant_id')).whereNotNull('d.every_seconds')
    const failed = ofManifest()
      .join('jobs as j', { 'j.tenant_id': 'd.tenant_id', 'j.id': 'd.job_id' })
      .where({ 'j.status': 'Failed', 'j.deleted_at': null })
      .select(
        'd.tenant_id',
        columnsOf(db, { subject: 'd.export_key', since: 'j.finished_at', job: 'j.id', code: codeOf(db) }),
      )
    const late = ofManifest()
      .join('tenants as t', 't.id', 'd.tenant_id')
      // One that somebody has paused is not late.
      .whereNull('d.paused_at')
      .whereRaw(isLate('d.instant'))
      .select(
        'd.tenant_id',
        columnsOf(db, { subject: 'd.export_key', since: db.raw('COALESCE(d.instant, t.updated_at)') }),
      )
    return oneOf(db, [failed, late])
  },
  advise: cause => ({
    ...reasonOf(cause, 'The export', 'did not arrive'),
    action: cause.job === null ? null : retryOf(cause.job),
  }),
}

/** Makes one row of a failure and a delay of the same thing. */
const oneOf = (db: Db, found: Knex.QueryBuilder[]): Knex.QueryBuilder =>
  db
    .from(db.queryBuilder().unionAll(found).as('f'))
    .groupBy('tenant_id', 'subject')
    .select(
      'tenant_id',
      columnsOf(db, {
        subject: 'subject',
        since: db.raw('MIN(since)'),
        job: db.raw('MAX(job)'),
        code: db.raw('MAX(code)'),
      }),
    )

function reasonOf({ job, code, subject }: Cause, what: string, isLate: string) {
  if (job === null)
    return {
      why: `${what} '${subject}' ${isLate} within twice the time that the manifest gives it, and no job says why.`,
      nextStep: 'See whether its schedule in Temporal is paused, and whether its last job still runs.',
    }
  return {
    why: `${what} '${subject}' ${isLate}: its last job has failed. ${meaningOf(code)}`,
    nextStep: `Remove the cause and try again, or cancel the job ${job} to wait for the next one.`,
  }
}
