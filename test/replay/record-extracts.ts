// Records histories of extracts.
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { extractPath } from '../support/extracts.js'
import { aNote, blockAsked, formAsked, formsTenant, whole } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import { patientOf } from '../support/instances.js'
import { until } from '../support/until.js'

/** Extracts: one that a caller waits for, one of the worker, and ones that are ended in the middle. */
export async function recordExtracts(
  { db, baseUrl }: { db: Knex; baseUrl: string },
  record: (how: string, job: JobBody) => Promise<void>,
): Promise<void> {
  const tenant = await formsTenant({}, baseUrl)
  await tenant.publish(aNote())
  const patient = patientOf(tenant)
  await patient.submit(await patient.created(), whole)
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const begin = async (more: object = {}): Promise<JobBody> => {
    const body = { definitions: [formAsked('small'), blockAsked('small', { identifier: 'block' })], ...more }
    return (await tenant.forms.post<JobBody>(extractPath, body, { prefer: 'respond-async' })).body
  }
  /** What finds anything waits until something else is done. */
  const meanwhile = async (act: (job: JobBody) => Promise<unknown>): Promise<JobBody> => {
    const trx = await db.transaction()
    await trx('form_extract_results').where({ tenant_id: tenantId }).forUpdate().select('job_id')
    const job = await begin()
    const begun = () => db('jobs').where({ id: job.jobId }).whereNotNull('started_at').first('id')
    await until('it is handed over', begun)
    await act(job)
    await trx.rollback()
    return job
  }
  await record('cancelled', await meanwhile(job => tenant.post(`${job.links.self}/cancel`)))
  // As the outbox does where the run is gone.
  const problem = { status: 500, code: 'run-ended' as const, title: 'x', detail: 'x', faults: [] }
  const fail = async ({ jobId }: JobBody) => {
    const store = jobStore(db, tenantId)
    const job = await store.byId(jobId)
    if (job) await store.failWithRun(job, problem)
  }
  await record('failed', await meanwhile(fail))
  await record('background', await begin())
  await record('interactive', await begin({ maxResults: 10 }))
}
