// Stores single-pass forms until they are delivered.
import type { Knex } from 'knex'
import type { SealedFor } from '../../../runtime/secrets/seal.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type JobRun } from '../../jobs/advance.js'
import { openStatuses } from '../../jobs/job-row.js'
import { upsertRows } from '../../rows.js'

/** A single-pass form on its way to the tenant's endpoint. */
export interface Delivery {
  formKey: string
  formVersion: number
  /** Transaction id of the page that was opened. By it the endpoint recognizes a form that is sent again. */
  transactionId: string
  /** The document. It is sealed because it has personal data, and perhaps the token with which the form was opened. */
  sealedContent: string
}

/** Says for what the document of a delivery is sealed. */
export const sealedDelivery = (tenantKey: string, transactionId: string): SealedFor => ({
  purpose: 'form delivery',
  tenantKey,
  name: transactionId,
})

/** A form that waits for its delivery. */
export interface WaitingDelivery extends Delivery {
  submittedAt: Date
}

/** Accesses the undelivered forms of one tenant. */
export const formDeliveries = (db: Db, tenant: TenantId) => ({
  /** Reads the form of an open job. Returns undefined if it was delivered or the job has ended for another reason. */
  async waiting(jobId: string): Promise<WaitingDelivery | undefined> {
    const row = await db('form_deliveries as d')
      .join('jobs as j', { 'j.tenant_id': 'd.tenant_id', 'j.id': 'd.job_id' })
      .where({ 'd.tenant_id': tenant, 'd.job_id': jobId })
      .whereIn('j.status', openStatuses)
      .first('d.form_key', 'd.form_version', 'd.transaction_id', 'd.sealed_content', 'j.accepted_at')
    if (!row) return undefined
    return {
      formKey: row.form_key,
      formVersion: row.form_version,
      transactionId: row.transaction_id,
      sealedContent: row.sealed_content,
      submittedAt: row.accepted_at,
    }
  },

  /**
   * Deletes the form of a job after its delivery, and completes the job.
   * @throws Problem 410 if the job was cancelled.
   */
  delivered: (run: JobRun): Promise<JobProgress> =>
    advance(db, tenant, run, async trx => {
      await trx('form_deliveries').where({ tenant_id: tenant, job_id: run.jobId }).delete()
      return { done: 1, end: 'all', counts: { delivered: 1 } }
    }),
})

/** Stores a form until its delivery, in the transaction that accepts its job. */
export async function insertDelivery(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  { formKey, formVersion, transactionId, sealedContent }: Delivery,
): Promise<void> {
  const columns = ['tenant_id', 'job_id', 'form_key', 'form_version', 'transaction_id', 'sealed_content']
  const row = [tenant, jobId, formKey, formVersion, transactionId, sealedContent]
  await upsertRows(trx, 'form_deliveries', columns, [row], [])
}
