// Retries and cancels many jobs by a filter.
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { newId } from '../../runtime/ids.js'
import { workflowIdOf } from '../../workflows/jobs/contracts.js'
import type { Api, Reply } from './api.js'
import { storeJobs } from './jobs.js'

/** The answer of a call that retries or cancels jobs. */
export interface ChangedJobsBody {
  applied: boolean
  asOf: string
  found: number
  kinds: { kind: string; status: string; jobs: number }[]
  jobs: { tenant: string; jobId: string; kind: string; outcome: string; status?: string }[]
  left: number
}

/** Calls an operation that retries or cancels jobs. */
export const changeJobs = (
  caller: Api,
  path: string,
  query: Record<string, string> = {},
): Promise<Reply<ChangedJobsBody>> => caller.post(`${path}?${new URLSearchParams(query)}`)

/** Finds jobs, and then changes all that were found, call after call. @returns the answers of those that changed. */
export async function changeAllJobs(
  caller: Api,
  path: string,
  query: Record<string, string> = {},
): Promise<ChangedJobsBody[]> {
  const { body: plan } = await changeJobs(caller, path, query)
  const answers: ChangedJobsBody[] = []
  for (let After: string | undefined; ; ) {
    const { status, body } = await changeJobs(caller, path, { ...query, AsOf: plan.asOf, ...(After ? { After } : {}) })
    if (status !== 200) throw new Error(JSON.stringify(body))
    answers.push(body)
    After = body.jobs.at(-1)?.jobId
    if (body.left === 0) return answers
  }
}

/** Stores transfers from one place to another that have failed, and can be retried. @returns their ids. */
export async function failedTransfers(
  db: Knex,
  tenantKey: string,
  [sourceKey, destinationKey]: readonly [string, string],
  { count, ...more }: { count: number; status?: string; finished_at?: Date; accepted_at?: Date },
): Promise<string[]> {
  const tenant = await tenantIdOf(db, tenantKey)
  const input = JSON.stringify({ sourceKey, destinationKey, mode: 'Copy' })
  const failed = { status: 'Failed', finished_at: new Date(Date.now() - 60_000), total: 0, input, ...more }
  const ids = Array.from({ length: count }, newId)
  const workflowOf = (jobId: string) => workflowIdOf('subjectTransfer', { tenantKey, jobId })
  await storeJobs(
    db,
    tenant,
    ids.map(id => ({ ...failed, id, workflow_id: workflowOf(id) })),
  )
  return ids
}
