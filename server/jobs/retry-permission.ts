// Which permissions a retry of a job needs besides the one to change jobs.
import { forbidden } from '../../runtime/problems/problem.js'
import { type JobKind, jobKinds } from '../../workflows/jobs/contracts.js'
import type { Caller } from '../caller.js'

/** The permissions of the operations that begin jobs on whole tenants, by kind. A retry goes on with what they have begun. */
const permissions: Partial<Record<JobKind, string>> = { tenantDeletion: 'Delete:Tenant', tenantExport: 'Export:Tenant' }

/** Returns the kinds of which a caller may not retry the jobs of others. */
export const kindsNotRetried = ({ allows }: Pick<Caller, 'allows'>): JobKind[] =>
  jobKinds.filter(kind => {
    const permission = permissions[kind]
    return permission !== undefined && !allows(permission)
  })

/** @throws Problem 403 if the caller may not retry jobs of one of these kinds that others have started. */
export function requireRetry(caller: Pick<Caller, 'allows'>, kinds: readonly JobKind[]): void {
  const kind = kindsNotRetried(caller).find(each => kinds.includes(each))
  if (kind !== undefined) throw forbidden(`The caller needs the permission ${permissions[kind]}.`)
}
