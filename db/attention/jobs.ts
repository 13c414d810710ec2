// Jobs that have failed and nobody else would notice, and jobs that do not go on.
import type { Knex } from 'knex'
import { kindsWith } from '../../workflows/jobs/contracts.js'
import { ago } from '../clock.js'
import type { Db } from '../connect.js'
import { openStatuses } from '../jobs/job-row.js'
import { codeOf, columnsOf, type Kind, meaningOf, ofTenant, retryOf } from './cause.js'

/** Kinds whose failures are rows of a data set or of an export. */
const shownElsewhere = ['dataSetRefresh', 'formExport']

/**
 * Failed jobs of kinds that nobody waits for, and jobs of any kind that the platform has failed. What else fails was
 * refused, and its caller knows. A failed change of a subject's data waits until another job has fetched the subject.
 */
export const failedJobs: Kind = {
  permission: 'List:Job',
  find: (db, tenant) =>
    db('jobs as j')
      .modify(ofTenant(tenant, 'j.tenant_id'))
      .where({ 'j.status': 'Failed', 'j.undone_by': null, 'j.deleted_at': null })
      .whereNotIn('j.kind', shownElsewhere)
      .where(job =>
        job.whereIn('j.kind', kindsWith('unattended')).orWhereRaw("JSON_VALUE(j.problem, '$.status') >= 500"),
      )
      .where(job => job.whereNot('j.kind', 'dataChange').orWhereExists(unfetchedChange(db)))
      .select(
        'j.tenant_id',
        columnsOf(db, { subject: 'j.id', since: 'j.finished_at', job: 'j.id', about: 'j.kind', code: codeOf(db) }),
      ),
  advise: ({ about, code, subject }) => ({
    why: `A job of the kind ${about} has failed. ${meaningOf(code)}`,
    nextStep: 'Remove the cause and retry the job, or cancel it if it is not wanted any more.',
    action: retryOf(subject),
  }),
}

/** Selects the changes of data that the failed job `j` could not fetch, and nothing else has fetched since. */
const unfetchedChange = (db: Db): Knex.QueryBuilder =>
  db('data_set_changes as c')
    .whereRaw('c.tenant_id = j.tenant_id AND c.failed_job = j.id')
    .whereRaw("c.subject_id = JSON_VALUE(j.input, '$.subjectId')")
    .select(db.raw('1'))

/** After this time, a job that nothing has taken up waits for a human, in ms. */
const beginMs = 300_000
/** The same for a job whose attempts fail, which goes on by itself when the cause is gone. */
const failingMs = 900_000

/**
 * Jobs that have not begun for five minutes, or whose attempts have failed for a quarter of an hour, by kind of job. A
 * retried job does not say when it was retried, so it counts only once it has been started.
 */
export const waitingJobs: Kind = {
  permission: 'List:Job',
  find(db, tenant) {
    const begun = "CASE WHEN status = 'Accepted' THEN IF(attempt = 1, accepted_at, started_at) END"
    const failing = "CAST(REPLACE(LEFT(JSON_VALUE(waiting, '$.since'), 23), 'T', ' ') AS DATETIME(3))"
    const jobs = db('jobs')
      .modify(ofTenant(tenant))
      .whereIn('status', openStatuses)
      .whereNull('deleted_at')
      .select('tenant_id', 'kind', db.raw(`${begun} AS not_begun`), db.raw(`${failing} AS failing`))
    return db
      .from(jobs.as('w'))
      .where('not_begun', '<', ago(db, beginMs))
      .orWhere('failing', '<', ago(db, failingMs))
      .groupBy('tenant_id', 'kind')
      .select(
        'tenant_id',
        columnsOf(db, {
          subject: 'kind',
          since: db.raw('MIN(COALESCE(failing, not_begun))'),
          about: db.raw("IF(COUNT(failing) > 0, 'failing', 'waiting')"),
          amount: db.raw('COUNT(*)'),
        }),
      )
  },
  advise: ({ subject, amount, about }) => ({
    why:
      about === 'failing'
        ? `${jobsOf(amount)} of the kind ${subject} cannot go on. Attempts have failed for over a quarter of an hour.`
        : `${jobsOf(amount)} of the kind ${subject} did not begin within five minutes.`,
    nextStep:
      about === 'failing'
        ? 'Read `waiting` of the jobs, and see to the system that they wait for. They go on by themselves.'
        : 'See whether workers run and have free slots, and whether Temporal answers.',
    action: { method: 'GET', path: `/api/v1/jobs?Kind=${subject}&Status=Accepted&Status=Running` },
  }),
}

const jobsOf = (amount: number | null): string => (Number(amount) === 1 ? 'One job' : `${amount} jobs`)
