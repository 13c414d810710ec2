// Single-pass forms that wait for their delivery.
import type { Knex } from 'knex'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type JobRun } from '../../jobs/advance.js'
import { openStatuses } from '../../jobs/jobs.js'
import { upsertRows } from '../../rows.js'

/** A single-pass form on its way to the tenant's endpoint. */
export interface Delivery {
  formKey: string
  formVersion: number
  /** Of the page that was opened: the endpoint knows a form that comes again by it. */
  transactionId: string
  /** The document, sealed: it names people, and may carry the token with which the form was opened. */
  content: string
}

/** Forms of one tenant that are on their way. */
export const formDeliveries = (db: Db, tenant: TenantId) => ({
  /** The form of a job that goes on; undefined where it has arrived, or the job has ended otherwise. */
  async waiting(jobId: string): Promise<Delivery | undefined> {
    const row = await db('form_deliveries')
      .where({ tenant_id: tenant, job_id: jobId })
      .whereExists(db('jobs').where({ tenant_id: tenant, id: jobId }).whereIn('status', openStatuses))
      .first('form_key', 'form_version', 'transaction_id', 'content')
    if (!row) return undefined
    const { form_key: formKey, form_version: formVersion, transaction_id: transactionId, content } = row
    return { formKey, formVersion, transactionId, content }
  },

  /**
   * Notes that the form has arrived, which is all of its job, and forgets it.
   * @throws Problem 410 when the job was cancelled.
   */
  delivered: (run: JobRun): Promise<JobProgress> =>
    advance(db, tenant, run, async trx => {
      await trx('form_deliveries').where({ tenant_id: tenant, job_id: run.jobId }).delete()
      return { done: 1, end: 'all', counts: { delivered: 1 } }
    }),
})

/** Keeps a form until it has arrived, inside the transaction that accepts its job. */
export async function keepDelivery(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  { formKey, formVersion, transactionId, content }: Delivery,
): Promise<void> {
  const columns = ['tenant_id', 'job_id', 'form_key', 'form_version', 'transaction_id', 'content']
  const row = [tenant, jobId, formKey, formVersion, transactionId, content]
  await upsertRows(trx, 'form_deliveries', columns, [row], [])
}
