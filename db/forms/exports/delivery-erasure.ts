// Erases undelivered single-pass forms that name an erased subject.
import type { Knex } from 'knex'
import type { Seal } from '../../../runtime/secrets/seal.js'
import type { TenantId } from '../../connect.js'
import { jobStore } from '../../jobs/jobs.js'
import { sealedDelivery } from './deliveries.js'

/**
 * Deletes the undelivered forms that name somebody, and cancels their jobs. All undelivered forms are opened one after the other;
 * there are only few.
 * @param names returns true if an opened document names the person.
 * @returns the number of deleted forms.
 */
export async function eraseDeliveries(
  db: Knex,
  seal: Pick<Seal, 'open'>,
  { id: tenant, key }: { id: TenantId; key: string },
  names: (document: string) => boolean,
): Promise<number> {
  const mine = () => db('form_deliveries').where({ tenant_id: tenant })
  const jobs: string[] = await mine().pluck('job_id')
  let erased = 0
  for (const job_id of jobs) {
    const row = await mine().where({ job_id }).first('transaction_id', 'sealed_content')
    if (!row || !names(seal.open(sealedDelivery(key, row.transaction_id), row.sealed_content))) continue
    await jobStore(db, tenant).cancel(job_id)
    erased += await mine().where({ job_id }).delete()
  }
  return erased
}
